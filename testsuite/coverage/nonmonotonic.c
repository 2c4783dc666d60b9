// SHAPE: `schedule(nonmonotonic:static,4)`
// FLAGS: -fopenmp-version=51
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(nonmonotonic : static, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
