// SHAPE: `for simd` where the runtime deals the chunks
// INSTRUMENTED: 4
// DEALT: 0 1 2 3
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
  int vector = n % 2;
#pragma omp parallel
  {
#pragma omp for simd schedule(dynamic, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for simd schedule(simd : guided, 4)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for simd schedule(simd : runtime)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for simd schedule(dynamic, 4) if (simd : vector)
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
  }
}
