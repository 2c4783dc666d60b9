// SHAPE: `sections`
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      STEP(0, 0, 3, n);
#pragma omp section
      STEP(0, 1, 3, n);
#pragma omp section
      STEP(0, 2, 3, n);
    }
#pragma omp sections nowait
    {
#pragma omp section
      STEP(1, 0, 1, n);
    }
  }
}
