// SHAPE: collapse, negative step, long, reduction
// INSTRUMENTED: 4
// VARIANT: -ftrapv
// VARIANT: -fsanitize=address
// VARIANT: -fsanitize=undefined
// VARIANT: -fsanitize=thread
// VARIANT: -fsanitize=integer
// VARIANT: profile
// VARIANT: -fprofile-instr-generate -fcoverage-mapping
// VARIANT: -flto=thin -fuse-ld=lld
#include "coverage.h"

void loops(int n) {
  long sum = 0;
#pragma omp parallel for collapse(2) schedule(static, 10)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 5; j++) STEP(0, i * 5 + j, n * 5, i);
#pragma omp parallel for schedule(static, 4)
  for (int i = n; i > 0; i--) STEP(1, n - i, n, i);
#pragma omp parallel for schedule(static, 4) reduction(+ : sum)
  for (long i = 0; i < n; i++) {
    STEP(2, i, n, i);
    sum += i;
  }
#pragma omp parallel for simd
  for (long i = 0; i < n; i++) STEP(3, i, n, i);
  printf("%ld\n", sum);
}
