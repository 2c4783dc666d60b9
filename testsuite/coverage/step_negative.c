// SHAPE: negative step
// INSTRUMENTED: 2
// USER: 0
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 3 * n; i > 0; i -= 3) STEP(0, n - i / 3, n, i);
#pragma omp parallel for
  for (long i = n; i >= 1; --i) STEP(1, n - i, n, i);
}
