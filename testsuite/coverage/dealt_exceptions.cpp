// SHAPE: exceptions thrown and caught in the body, where the runtime deals the chunks
// DEALT: 0
#define THREADS_VARY
#include "coverage.h"

struct Local {
  int value;
  explicit Local(int v) : value(v) {}
  ~Local() { value = 0; }
};

void loops(int n) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; i++) {
    Local local(i);
    try {
      if (i % 3 == 0) throw i;
      STEP(0, i, n, i + local.value);
    } catch (int e) {
      STEP(0, i, n, e * 2);
    }
  }
}
