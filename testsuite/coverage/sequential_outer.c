// SHAPE: a worksharing loop in a sequential one
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  for (int round = 0; round < 3; round++) {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) STEP(round, i, n, i);
  }
}
