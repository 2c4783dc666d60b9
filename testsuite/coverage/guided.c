// SHAPE: `schedule(guided)`
// DEALT: 0
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
