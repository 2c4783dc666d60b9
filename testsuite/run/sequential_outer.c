// A loop that runs many times: in a sequential loop outside of the region, and inside of it.
//
// LOOPS: 2
#include "program.h"

int main(void) {
  for (int round = 0; round < 30; round++) {
#pragma omp parallel for schedule(static, 2)
    for (int i = 0; i < round; i++) STEP(0, i, round, i * round);
  }
#pragma omp parallel
  for (int round = 0; round < 30; round++) {
#pragma omp for schedule(static, 2) nowait
    for (int i = 0; i < round; i++) STEP(1, i, round, i * round);
  }
  report(0);
  report(1);
  return 0;
}
