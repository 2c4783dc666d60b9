// One loop inlined into several callers: many copies of the code, one loop record.
//
// LOOPS: 1
#include "program.h"

static inline __attribute__((always_inline)) void work(int n, int scale) {
#pragma omp for schedule(static, 3)
  for (int i = 0; i < n; i++) STEP(0, i, n, i * scale);
}

int main(void) {
#pragma omp parallel
  {
    work(10, 2);
    work(25, 3);
  }
  report(0);
#pragma omp parallel
  work(7, 5);
  report(0);
  return 0;
}
