// SHAPE: exceptions thrown and caught in the body
// INSTRUMENTED: 2
#include "coverage.h"

struct Local {
  int value;
  explicit Local(int v) : value(v) {}
  ~Local() { value = 0; }
};

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) {
    Local local(i);
    try {
      if (i % 3 == 0) throw i;
      STEP(0, i, n, i + local.value);
    } catch (int e) {
      STEP(0, i, n, e * 2);
    }
  }
#pragma omp for
  for (int i = 0; i < n; i++) {
    Local local(i);
    try {
      if (i % 3 == 0) throw i;
      STEP(1, i, n, i + local.value);
    } catch (int e) {
      STEP(1, i, n, e * 2);
    }
  }
  }
}
