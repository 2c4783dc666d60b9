// SHAPE: in a lambda, and in a member function
// INSTRUMENTED: 2
#include "coverage.h"

struct Member {
  int by;
  void run(int n) {
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(1, i, n, i + by);
  }
};

void loops(int n) {
  auto run = [&](int by) {
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i + by);
  };
  run(3);
  Member{5}.run(n);
}
