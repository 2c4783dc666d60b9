// SHAPE: `parallel for schedule(static)`
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
