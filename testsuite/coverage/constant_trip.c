// SHAPE: constant trip count
// USER: 0
#include "coverage.h"

void loops(int n) {
  (void)n;
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < 100; i++) STEP(0, i, 100, i);
}
