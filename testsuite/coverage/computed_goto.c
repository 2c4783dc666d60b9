// SHAPE: computed `goto` in the body
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    void *targets[] = {&&even, &&odd};
    int value;
    goto *targets[i & 1];
even:
    value = 100;
    goto out;
odd:
    value = 200;
out:
    STEP(0, i, n, value + i);
  }
}
