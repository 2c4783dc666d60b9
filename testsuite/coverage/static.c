// SHAPE: `parallel for`
// USER: 0
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
