// SHAPE: a body that runs the same loop in a nested region
#include "coverage.h"

static void level(int n, int deeper) {
  int trip = n < 9 ? n : 9;
#pragma omp parallel for schedule(static, 2) num_threads(2)
  for (int i = 0; i < trip; i++) {
    TELL(deeper ? 0 : 1, i, trip);
    if (deeper) level(i, 0);
  }
}

void loops(int n) {
  omp_set_max_active_levels(2);
  level(n, 1);
}
