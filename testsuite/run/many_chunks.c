// Enough chunks that anything which grows, leaks, or counts wrongly per chunk shows.
//
// LOOPS: 2
// USER: 0 1
#include "program.h"

int main(void) {
  for (int round = 0; round < 3; round++) {
#pragma omp parallel
    {
#pragma omp for schedule(static, 1)
      for (int i = 0; i < MOST; i++) STEP(0, i, MOST, i);
#pragma omp for schedule(static, 13)
      for (long i = 0; i < MOST; i++) STEP(1, i, MOST, i);
    }
    report(0);
    report(1);
  }
  return 0;
}
