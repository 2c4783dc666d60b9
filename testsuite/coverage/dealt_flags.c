// SHAPE: `schedule(dynamic,4)` and `schedule(guided)`
// INSTRUMENTED: 2
// DEALT: 0 1
// VARIANT: -O0
// VARIANT: -O0 -g
// VARIANT: -O1
// VARIANT: -O3 -g
// VARIANT: -Os -fPIC
// VARIANT: -ftrapv
// VARIANT: -fsanitize=address
// VARIANT: -fsanitize=undefined
// VARIANT: -fsanitize=thread
// VARIANT: -fsanitize=integer
// VARIANT: profile
// VARIANT: -flto=thin -fuse-ld=lld
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
  unsigned m = (unsigned)n;
#pragma omp parallel for schedule(guided)
  for (unsigned i = 10; i < m + 10; i++) STEP(1, i - 10, n, i);
}
