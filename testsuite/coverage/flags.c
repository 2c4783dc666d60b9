// SHAPE: int and unsigned, with and without a chunk
// INSTRUMENTED: 4
// VARIANT: -O0
// VARIANT: -O0 -g
// VARIANT: -O3 -g
// VARIANT: -Os -fPIC
// VARIANT: -ftrapv
// VARIANT: -fsanitize=address
// VARIANT: -fsanitize=undefined
// VARIANT: -fsanitize=thread
// VARIANT: -fsanitize=integer
// VARIANT: profile
// VARIANT: -fprofile-instr-generate -fcoverage-mapping
// VARIANT: -flto=thin -fuse-ld=lld
// VARIANT: -flto=full -fuse-ld=lld
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
  unsigned m = (unsigned)n;
#pragma omp parallel for schedule(static, 10)
  for (unsigned i = 0; i < m; i++) STEP(2, i, n, i);
#pragma omp parallel for
  for (unsigned i = 0; i < m; i++) STEP(3, i, n, i);
}
