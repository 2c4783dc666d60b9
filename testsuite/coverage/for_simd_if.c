// SHAPE: `for simd schedule(static,10) if(v)`: two loops in the body
// FLAGS: -fopenmp-version=50
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
#pragma omp for simd schedule(static, 10) if (simd : n % 2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
