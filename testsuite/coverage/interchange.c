// SHAPE: around `interchange`
// CANNOT-18: it does not know the directive
// FLAGS: -fopenmp-version=60
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 4)
#pragma omp interchange
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < n; j++) {
      if (i == 0) STEP(0, j, n, i * 100 + j);
    }
}
