// SHAPE: `linear`
#include "coverage.h"

void loops(int n) {
  int k = 0;
#pragma omp parallel for schedule(static, 10) linear(k : 2)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, k);
    k += 2;
  }
}
