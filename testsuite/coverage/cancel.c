// SHAPE: `cancel for`, with and without a chunk
// INSTRUMENTED: 2
// CANCELLED: 0 1
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 10)
    for (int i = 0; i < n; i++) {
      TELL(0, i, n);
      if (i == 23) {
#pragma omp cancel for
      }
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      TELL(1, i, n);
      if (i == 23) {
#pragma omp cancel for
      }
    }
  }
}
