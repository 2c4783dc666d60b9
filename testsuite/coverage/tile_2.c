// SHAPE: around `tile` of two loops
// FLAGS: -fopenmp-version=51
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 2)
#pragma omp tile sizes(4, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 9; j++) {
      if (i % 4 == 0 && j == 0) STEP(0, i / 4, (n + 3) / 4, i);
    }
}
