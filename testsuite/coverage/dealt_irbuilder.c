// SHAPE: OpenMPIRBuilder's `for schedule(dynamic,4)` and `for schedule(guided)`
// INSTRUMENTED: 2
// DEALT: 0 1
// FROM-1: 0 1
// FLAGS: -Xclang -fopenmp-enable-irbuilder
#define LEAST_TRIP 1
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(guided)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
  }
}
