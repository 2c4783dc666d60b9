// SHAPE: `unsigned long` variable, with and without a chunk
// INSTRUMENTED: 2
// USER: 0 1
#include "coverage.h"

void loops(int n) {
  unsigned long m = (unsigned long)n;
#pragma omp parallel for schedule(static, 10)
  for (unsigned long i = 0; i < m; i++) STEP(0, i, n, i);
#pragma omp parallel for
  for (unsigned long i = 0; i < m; i++) STEP(1, i, n, i);
}
