// Loops that cannot be copied, so that the plugin must do with one and a tested flag: addresses of
// labels, inline assembly.
//
// LOOPS: 3
// MATRIX: full
#include "program.h"

static void all(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      void *targets[] = {&&even, &&odd};
      uint64_t value;
      goto *targets[i & 1];
    even:
      value = 100;
      goto out;
    odd:
      value = 200;
    out:
      STEP(0, i, n, value + (uint64_t)i);
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      STEP(1, i, n, i);
      __asm__ volatile("a_label_%=: nop" ::: "memory");
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      STEP(2, i, n, i);
      __asm__ volatile("another_label_%=: nop" ::: "memory");
    }
  }
  for (int loop = 0; loop < 3; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 25; n += 12) all(n);
  return 0;
}
