// SHAPE: inclusive `scan`: the loop runs twice
// INSTRUMENTED: 2
// FLAGS: -lm
#define LEAST_TRIP 2
#include "coverage.h"

void loops(int n) {
  int sum = 0, seen[64];
#pragma omp parallel for schedule(static, 4) reduction(inscan, + : sum)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    sum += i;
#pragma omp scan inclusive(sum)
    STEP(1, i, n, i);
    seen[i] = sum;
  }
  printf("%d %d\n", sum, n ? seen[n - 1] : 0);
}
