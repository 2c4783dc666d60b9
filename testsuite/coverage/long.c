// SHAPE: `long` variable, with and without a chunk
// INSTRUMENTED: 2
// USER: 0 1
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (long i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for
  for (long i = 0; i < n; i++) STEP(1, i, n, i);
}
