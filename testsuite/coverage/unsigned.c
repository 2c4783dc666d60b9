// SHAPE: `unsigned` variable, with and without a chunk
// INSTRUMENTED: 2
// USER: 0 1
#include "coverage.h"

void loops(int n) {
  unsigned m = (unsigned)n;
#pragma omp parallel for schedule(static, 10)
  for (unsigned i = 0; i < m; i++) STEP(0, i, n, i);
#pragma omp parallel for
  for (unsigned i = 0; i < m; i++) STEP(1, i, n, i);
}
