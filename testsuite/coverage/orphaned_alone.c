// SHAPE: orphaned `for` outside any parallel region
#include "coverage.h"

void loops(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
