// SHAPE: `parallel for schedule(static,1)`
// USER: 0
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
