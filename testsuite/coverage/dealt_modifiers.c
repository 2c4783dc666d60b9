// SHAPE: `monotonic:` and `nonmonotonic:` where the runtime deals the chunks
// INSTRUMENTED: 4
// DEALT: 0 1 2 3
// MONOTONIC: 0 2 3
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(monotonic : dynamic, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(nonmonotonic : dynamic, 4)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(monotonic : guided, 2)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(monotonic : runtime)
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
  }
}
