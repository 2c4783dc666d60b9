// SHAPE: around `tile`: an iteration is a tile
// FLAGS: -fopenmp-version=51
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 2)
#pragma omp tile sizes(8)
  for (int i = 0; i < n; i++) {
    if (i % 8 == 0) STEP(0, i / 8, (n + 7) / 8, i);
  }
}
