// SHAPE: a chunk size known at run time
// USER: 0
#include "coverage.h"

void loops(int n) {
  int chunk = n % 7 + 1;
#pragma omp parallel for schedule(static, chunk)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
