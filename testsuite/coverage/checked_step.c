// SHAPE: constant bounds and a step of `unsigned long`, with and without a chunk
// INSTRUMENTED: 4
// VARIANT: -fsanitize=integer
// VARIANT: -fsanitize=undefined
// VARIANT: -fsanitize=integer -O0 -g
#include "coverage.h"

void loops(int n) {
  unsigned long m = (unsigned long)n;
#pragma omp parallel for
  for (unsigned long i = 0; i < 10; i += 3) STEP(0, i / 3, 4, i);
#pragma omp parallel for schedule(static, 2)
  for (unsigned long i = 0; i < 10; i += 3) STEP(1, i / 3, 4, i);
#pragma omp parallel for
  for (unsigned long i = 0; i < m; i += 3) STEP(2, i / 3, (m + 2) / 3, i);
#pragma omp parallel for schedule(static, 2)
  for (unsigned long i = 0; i < m; i += 3) STEP(3, i / 3, (m + 2) / 3, i);
}
