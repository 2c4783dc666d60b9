// SHAPE: `sections`, marked as a loop
// INSTRUMENTED: 0
// ALONE: a sections construct that the compiler did not mark as one, or of an unknown form
// ALONE: a sections construct that the compiler did not mark as one, or of an unknown form
// UNJUDGED: all
// PROPOSED: i32 1026, => i32 514,
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      MARK(0, 0, n);
#pragma omp section
      MARK(0, 1, n);
#pragma omp section
      MARK(0, 2, n);
    }
#pragma omp sections nowait
    {
#pragma omp section
      MARK(1, 0, n);
    }
  }
}
