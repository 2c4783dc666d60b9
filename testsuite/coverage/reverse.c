// SHAPE: around `reverse`
// CANNOT-18: it does not know the directive
// FLAGS: -fopenmp-version=60
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 4)
#pragma omp reverse
  for (int i = 0; i < n; i++) STEP(0, n - 1 - i, n, i);
}
