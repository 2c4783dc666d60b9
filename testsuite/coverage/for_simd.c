// SHAPE: `for simd`, with and without a chunk
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for simd
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for simd schedule(static, 10)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
  }
}
