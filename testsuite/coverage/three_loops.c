// SHAPE: static, static and dynamic loop in one region
// INSTRUMENTED: 3
// DEALT: 2
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 10)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
  }
}
