// Bodies that the optimiser turns into something else: vectorised, unrolled, replaced by memset, or
// gone. They tell the oracle nothing, so that it is free to.
//
// LOOPS: 7
// UNOBSERVED: yes
// MATRIX: full
#include "program.h"

enum { N = 1003 };
static double a[N], b[N];
static char c[N];

__attribute__((noinline)) static void work(int n, int chunk, double s) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 64)
    for (int i = 0; i < n; i++) a[i] = b[i] * s + a[i];
#pragma omp for schedule(static, chunk)
    for (int i = 0; i < n; i++) b[i] += a[i] * 0.5;
#pragma omp for schedule(static, 128)
    for (int i = 0; i < n; i++) c[i] = 0;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++) a[i] += i;
#pragma omp for
    for (long i = 0; i < n; i++) a[i] = a[i] > b[i] ? a[i] - b[i] : a[i];
#pragma omp for simd schedule(static, 8) safelen(4) simdlen(4)
    for (int i = 0; i < n; i++) b[i] = b[i] * 0.75 + i;
#pragma omp for schedule(static, 16)
    for (int i = 0; i < n; i++) {
      int unused = i * 2;
      (void)unused;
    }
  }
}

int main(void) {
  for (int i = 0; i < N; i++) a[i] = i, b[i] = N - i, c[i] = 1;
  for (int round = 0; round < 5; round++) work(N - round, round + 1, 1.25);
  double sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * 3 + b[i] + c[i];
  printf("%.17g\n", sum);
  return 0;
}
