// SHAPE: `order(concurrent)`
// FLAGS: -fopenmp-version=50
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 10) order(concurrent)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
