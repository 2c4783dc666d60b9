// SHAPE: orphaned `for`
#include "coverage.h"

static void orphan(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}

void loops(int n) {
#pragma omp parallel
  orphan(n);
}
