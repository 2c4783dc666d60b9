// SHAPE: `schedule(simd:static)`
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for simd schedule(simd : static)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
