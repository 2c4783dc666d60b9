// Assembly that defines no symbol is copied with its loop; so is one with operands that the loop computes with.
//
// LOOPS: 2
#include "program.h"

static void all(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      STEP(0, i, n, i);
      __asm__ volatile("nop" ::: "memory");
    }
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) {
      uint64_t value = (uint64_t)i;
      __asm__ volatile("" : "+r"(value));
      STEP(1, i, n, value);
    }
  }
  for (int loop = 0; loop < 2; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 25; n += 12) all(n);
  return 0;
}
