// SHAPE: `cancellation point`
// CANCELLED: 0
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
#pragma omp for schedule(static, 4)
  for (int i = 0; i < n; i++) {
    TELL(0, i, n);
#pragma omp cancellation point for
    if (i == 23) {
#pragma omp cancel for
    }
  }
}
