// SHAPE: loop test `!=`
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i != n; i++) STEP(0, i, n, i);
}
