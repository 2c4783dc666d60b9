// SHAPE: `cancel sections`
// CANCELLED: 0
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel sections
  {
#pragma omp section
    {
      STEP(0, 0, 3, n);
      if (n == 1) {
#pragma omp cancel sections
      }
    }
#pragma omp section
    STEP(0, 1, 3, n);
#pragma omp section
    STEP(0, 2, 3, n);
  }
  for (int i = 0; i < 3; i++) runs_of[0][i] = 0;
}
