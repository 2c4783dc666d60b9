// SHAPE: `cancel for` where the runtime deals the chunks
// DEALT: 0
// CANCELLED: 0
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
#define THREADS_VARY
#include "coverage.h"

// The runtimes hang in the next such loop after one that was cancelled; so only the last one is.
void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) {
      TELL(0, i, n);
      if (i == 23) {
#pragma omp cancel for
      }
    }
  }
}
