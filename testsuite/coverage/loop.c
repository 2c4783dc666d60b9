// SHAPE: `loop` in a parallel region
// INSTRUMENTED: 1
// INSTRUMENTED-17: 0
// WRONG-17: every thread runs every iteration
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
#pragma omp loop
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
