// SHAPE: around `stripe`
// CANNOT-20: it does not know the directive
// FLAGS: -fopenmp-version=60
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 1)
#pragma omp stripe sizes(4)
  for (int i = 0; i < n; i++) {
    if (i % 4 == 0) STEP(0, i / 4, (n + 3) / 4, i);
  }
}
