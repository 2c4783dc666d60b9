// SHAPE: inline assembly with a label in the body
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    __asm__ volatile("a_label_%=: nop" ::: "memory");
  }
}
