// SHAPE: a pointer as loop variable
// INSTRUMENTED: 2
#include "coverage.h"
#include <vector>

void loops(int n) {
  std::vector<int> data(static_cast<size_t>(n) + 1);
  int *first = data.data();
#pragma omp parallel for schedule(static, 4)
  for (int *p = first; p < first + n; p++) STEP(0, p - first, n, *p);
#pragma omp parallel for
  for (int *p = first + n; p > first; p -= 1) STEP(1, first + n - p, n, *p);
}
