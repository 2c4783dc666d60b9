// SHAPE: exclusive `scan`, without a chunk
// INSTRUMENTED: 2
// FLAGS: -lm
#define LEAST_TRIP 2
#include "coverage.h"

void loops(int n) {
  int sum = 0, seen[64];
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < n; i++) {
    STEP(1, i, n, i);
    seen[i] = sum;
#pragma omp scan exclusive(sum)
    STEP(0, i, n, i);
    sum += i;
  }
  printf("%d %d\n", sum, n ? seen[n - 1] : 0);
}
