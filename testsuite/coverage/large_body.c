// SHAPE: a body too large for a copy
#include "coverage.h"

#define EACH8(x) x x x x x x x x
#define EACH64(x) EACH8(EACH8(x))

void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    int value = i;
    EACH64(EACH8(value = value * 3 + (value >> 2);))
    STEP(0, i, n, value);
  }
}
