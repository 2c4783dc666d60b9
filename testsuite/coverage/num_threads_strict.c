// SHAPE: `num_threads(strict: 2)`
// CANNOT-20: it does not know the modifier
// FLAGS: -fopenmp-version=60
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 4) num_threads(strict: 2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
