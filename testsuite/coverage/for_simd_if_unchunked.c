// SHAPE: `for simd if(v)`: the compiler asks the runtime in two places
// INSTRUMENTED: 2
// FLAGS: -fopenmp-version=50
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
#pragma omp for simd if (simd : n % 2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
