// Modifier bits in the schedule.
//
// LOOPS: 4
// USER: 0 1 2 3
#include "program.h"

int main(void) {
  int n = 41;
#pragma omp parallel
  {
#pragma omp for schedule(monotonic : static, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(nonmonotonic : static, 4)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(monotonic : static)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(nonmonotonic : static)
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
  }
  for (int loop = 0; loop < 4; loop++) report(loop);
  return 0;
}
