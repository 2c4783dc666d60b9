// SHAPE: `target parallel for`, on the host
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
#pragma omp target parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp target parallel for
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
}
