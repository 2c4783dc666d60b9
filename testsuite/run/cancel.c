// Cancelled loops leave through a second exit. Cancellation is on and off.
//
// LOOPS: 3
// CANCELLED: 0 1
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
#include "program.h"

/* Which thread stops where depends on time, so the output must not tell. */
static int ran_first;

int main(void) {
  int n = 50;
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) {
      TELL(0, i, n);
      if (i == 0) {
        ran_first++;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      TELL(1, i, n);
      if (i == 0) {
        ran_first++;
#pragma omp cancel for
      }
    }
    // The frame of a cancelled loop must be gone.
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
  }
  report(2);
  printf("%d\n", ran_first);
  return 0;
}
