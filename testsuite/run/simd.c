// The combined construct with simd, whose body is one or, with if, two inner loops.
//
// LOOPS: 4
// USER: 0 1 3
#include "program.h"

static void all(int n, int vector) {
#pragma omp parallel for simd schedule(static, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp parallel for simd schedule(static, 4) if (simd : vector)
  for (int i = 0; i < n; i++) STEP(2, i, n, i);
  double sum = 0;
#pragma omp parallel for simd schedule(simd : static) safelen(4) simdlen(4) reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    STEP(3, i, n, i);
    sum += 1;
  }
  printf("%g\n", sum);
  for (int loop = 0; loop < 4; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 50; n += 17) all(n, n & 1);
  return 0;
}
