// SHAPE: `switch`, inner loop and `continue` in the body
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    int value = i;
    switch (i % 4) {
    case 0: value = 7; break;
    case 1:
      for (int j = 0; j < i; j++) value += value % (j + 1);
      break;
    default: STEP(0, i, n, 1); continue;
    }
    STEP(0, i, n, value);
  }
}
