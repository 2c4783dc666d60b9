// SHAPE: `schedule(runtime)`
// DEALT: 0
// ENV: OMP_SCHEDULE=static,5
// ENV: OMP_SCHEDULE=dynamic,5
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
