// SHAPE: random-access iterators, of `std::vector` and of the user
// INSTRUMENTED: 3
#include "coverage.h"
#include <vector>

struct Counter {
  long at;
  explicit Counter(long a) : at(a) {}
  Counter &operator+=(long by) { return at += by, *this; }
  Counter &operator-=(long by) { return at -= by, *this; }
  Counter operator+(long by) const { return Counter(at + by); }
  Counter operator-(long by) const { return Counter(at - by); }
  long operator-(const Counter &other) const { return at - other.at; }
  bool operator>(const Counter &other) const { return at > other.at; }
};

void loops(int n) {
  std::vector<int> data(static_cast<size_t>(n));
#pragma omp parallel for schedule(static, 4)
  for (auto it = data.begin(); it < data.end(); ++it) STEP(0, it - data.begin(), n, 1);
#pragma omp parallel for
  for (auto it = data.begin(); it != data.end(); ++it) STEP(1, it - data.begin(), n, 1);
#pragma omp parallel for schedule(static, 4)
  for (Counter it = Counter(n); it > Counter(0); it -= 1) STEP(2, n - it.at, n, it.at);
}
