// SHAPE: the body is a call
#include "coverage.h"

static void body(int i, int n) { STEP(0, i, n, i); }

void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) body(i, n);
}
