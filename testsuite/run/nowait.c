// Several loops in one function, threads running ahead into the next one.
//
// LOOPS: 4
// USER: 0 1 2 3
// MATRIX: full
#include "program.h"

static void all(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3) nowait
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, 5) nowait
    for (long i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for nowait
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(static, 1)
    for (unsigned i = 0; i < (unsigned)n; i++) STEP(3, i, n, i);
  }
}

int main(void) {
  for (int n = 0; n < 40; n += 13) {
    all(n);
    for (int loop = 0; loop < 4; loop++) report(loop);
  }
  return 0;
}
