// SHAPE: range-based `for`
// INSTRUMENTED: 2
#include "coverage.h"
#include <vector>

void loops(int n) {
  std::vector<long> data(static_cast<size_t>(n));
#pragma omp parallel for schedule(static, 10)
  for (long &x : data) STEP(0, &x - data.data(), n, x);
#pragma omp parallel for
  for (long &x : data) STEP(1, &x - data.data(), n, x);
}
