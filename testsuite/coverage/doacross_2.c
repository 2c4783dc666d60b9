// SHAPE: `ordered(2)` of a nest
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for ordered(2) schedule(static, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      if (j == 0) STEP(0, i, n, i);
#pragma omp ordered depend(source)
    }
}
