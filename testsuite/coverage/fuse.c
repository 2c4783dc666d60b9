// SHAPE: around `fuse`
// CANNOT-21: it does not know the directive
// FLAGS: -fopenmp-version=60
#include "coverage.h"

int others[64];

void loops(int n) {
#pragma omp parallel for schedule(static, 4)
#pragma omp fuse
  {
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
    for (int j = 0; j < n; j++) others[j] = 3 * j;
  }
}
