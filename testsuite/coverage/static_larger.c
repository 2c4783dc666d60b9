// SHAPE: a chunk larger than the loop
// USER: 0
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 1000)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
