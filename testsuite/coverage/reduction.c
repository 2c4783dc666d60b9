// SHAPE: `reduction`
#include "coverage.h"

void loops(int n) {
  long sum = 0;
#pragma omp parallel for schedule(static, 10) reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    sum += i;
  }
  printf("%ld\n", sum);
}
