// SHAPE: `collapse(2)`, rectangular
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
  int m = 5;
#pragma omp parallel for collapse(2) schedule(static, 10)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) STEP(0, i * m + j, n * m, i * 100 + j);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = m; j > 0; j--) STEP(1, i * m + m - j, n * m, i * 100 + j);
}
