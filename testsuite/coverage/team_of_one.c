// SHAPE: `if(0)`: a team of one thread
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 10) if (n < 0)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for if (n < 0)
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
}
