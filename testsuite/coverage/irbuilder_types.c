// SHAPE: OpenMPIRBuilder's loops of `unsigned`, `long` and a negative step
// INSTRUMENTED: 3
// FLAGS: -Xclang -fopenmp-enable-irbuilder
#define LEAST_TRIP 1
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 7)
    for (unsigned i = 0; i < (unsigned)n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, 7)
    for (long i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(static, 7)
    for (int i = 3 * n; i > 0; i -= 3) STEP(2, n - i / 3, n, i);
  }
}
