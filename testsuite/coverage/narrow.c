// SHAPE: `short` and `unsigned char` variables
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (short i = -20; i < n - 20; i++) STEP(0, i + 20, n, i);
#pragma omp parallel for schedule(static, 3)
  for (unsigned char i = 5; i < n + 5; i++) STEP(1, i - 5, n, i);
}
