// Range-based for, iterators and pointers: the compiler counts them in 64 bits.
//
// LOOPS: 5
// NO-USER: 0 1 2 3 4
#include "program.h"
#include <vector>

int main() {
  std::vector<long> data(37);
  for (size_t i = 0; i < data.size(); i++) data[i] = static_cast<long>(i) * 11;
  long *first = data.data(), n = static_cast<long>(data.size());
#pragma omp parallel for schedule(static, 4)
  for (long &x : data) STEP(0, &x - first, n, x);
#pragma omp parallel for schedule(static, 4)
  for (auto it = data.begin(); it < data.end(); ++it) STEP(1, it - data.begin(), n, *it);
#pragma omp parallel for schedule(static, 4)
  for (auto it = data.begin(); it != data.end(); ++it) STEP(2, it - data.begin(), n, *it);
#pragma omp parallel for
  for (long *p = first + n - 1; p >= first; p -= 2) STEP(3, (first + n - 1 - p) / 2, (n + 1) / 2, *p);
#pragma omp parallel for collapse(2) schedule(static, 5)
  for (long &x : data)
    for (int j = 0; j < 3; j++) STEP(4, (&x - first) * 3 + j, n * 3, x + j);
  for (int loop = 0; loop < 5; loop++) report(loop);
}
