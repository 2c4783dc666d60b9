// SHAPE: loops whose chunks the runtime deals, orphaned and in the body of another
// INSTRUMENTED: 2
// DEALT: 0 1
#define THREADS_VARY
#include "coverage.h"

static void orphaned(unsigned loop, int n) {
#pragma omp for schedule(dynamic, 2)
  for (int i = 0; i < n; i++) TELL(loop, i, n);
}

void loops(int n) {
  orphaned(1, n);
  omp_set_max_active_levels(2);
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; i++) {
    TELL(0, i, n);
    if (i % 10 == 0) {
#pragma omp parallel num_threads(2)
      orphaned(1, 7);
    }
  }
}
