// SHAPE: `ordered` with other schedules than static
// INSTRUMENTED: 4
// DEALT: 0 1 2 3
// MONOTONIC: 0 1 2 3
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for ordered schedule(dynamic, 4)
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      STEP(0, i, n, i);
    }
#pragma omp for ordered schedule(guided)
    for (int i = 0; i < n; i++) {
      STEP(1, i, n, i);
#pragma omp ordered
      value_of[1][i]++;
    }
#pragma omp for ordered
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      STEP(2, i, n, i);
    }
#pragma omp for ordered schedule(runtime)
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      STEP(3, i, n, i);
    }
  }
}
