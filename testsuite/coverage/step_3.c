// SHAPE: start and step known at run time
// USER: 0
#include "coverage.h"

void loops(int n) {
  int start = -n, step = n % 3 + 1, end = start + n * step;
#pragma omp parallel for schedule(static, 10)
  for (int i = start; i < end; i += step) STEP(0, (i - start) / step, n, i);
}
