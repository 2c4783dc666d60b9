// SHAPE: constant start and step
// USER: 0
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 100; i < 100 + 3 * n; i += 3) STEP(0, (i - 100) / 3, n, i);
}
