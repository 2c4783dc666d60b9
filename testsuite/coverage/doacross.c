// SHAPE: `ordered(1)` with `depend(sink)`
#include "coverage.h"

void loops(int n) {
  long sum = 0;
#pragma omp parallel for ordered(1) schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
    STEP(0, i, n, i);
    sum = sum * 3 + i;
#pragma omp ordered depend(source)
  }
  printf("%ld\n", sum);
}
