// SHAPE: `collapse(2)` where the runtime deals the chunks
// INSTRUMENTED: 2
// DEALT: 0 1
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
  int m = 5;
#pragma omp parallel for collapse(2) schedule(dynamic, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) STEP(0, i * m + j, n * m, i * 100 + j);
#pragma omp parallel for collapse(2) schedule(guided)
  for (int i = 0; i < n; i++)
    for (int j = m; j > 0; j--) STEP(1, i * m + m - j, n * m, i * 100 + j);
}
