// SHAPE: static and other schedules in turn, without barriers
// INSTRUMENTED: 5
// DEALT: 0 2 4
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4) nowait
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, 4) nowait
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(guided, 2) nowait
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < n; i++) TELL(4, i, n);
  }
}
