// Loops whose chunks the runtime deals itself. Its own events must arrive unchanged, and beside each of
// them one chunk event.
//
// LOOPS: 4
// DEALT: 0 1 2 3
// ENV: OMP_SCHEDULE=static,3
// ENV: OMP_SCHEDULE=dynamic,4
#include "program.h"

int main(void) {
  for (int n = 0; n < 40; n += 13) {
#pragma omp parallel
    {
#pragma omp for schedule(runtime)
      for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(dynamic, 4)
      for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(guided)
      for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(auto)
      for (int i = 0; i < n; i++) STEP(3, i, n, i);
    }
    for (int loop = 0; loop < 4; loop++) report_values(loop);
  }
  return 0;
}
