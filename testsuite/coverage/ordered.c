// SHAPE: `ordered`: the runtime deals the chunks
// DEALT: 0
// MONOTONIC: 0
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for ordered schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp ordered
    STEP(0, i, n, i);
  }
}
