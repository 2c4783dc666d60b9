// SHAPE: a static loop in the body of another, its team of one thread
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
  omp_set_max_active_levels(1);
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    if (i % 19 == 0) {
#pragma omp parallel for schedule(static, 2)
      for (int j = 0; j < 5; j++) TELL(1, j, 5);
    }
  }
}
