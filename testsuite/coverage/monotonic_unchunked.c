// SHAPE: `schedule(monotonic:static)`
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(monotonic : static)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
