// SHAPE: with `assume no_openmp` in the body
// CANNOT-19: it does not know the directive
// FLAGS: -fopenmp-version=60
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp assume no_openmp
    { STEP(0, i, n, i); }
  }
}
