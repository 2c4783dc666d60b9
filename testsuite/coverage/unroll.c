// SHAPE: around `unroll partial`: an iteration is an unrolled group
// FLAGS: -fopenmp-version=51
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 2)
#pragma omp unroll partial(4)
  for (int i = 0; i < n; i++) {
    if (i % 4 == 0) STEP(0, i / 4, (n + 3) / 4, i);
  }
}
