// SHAPE: inline assembly with a label in the body, where the runtime deals the chunks
// INSTRUMENTED: 2
// DEALT: 0 1
// CANCELLED: 1
// ENV: OMP_CANCELLATION=true
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    __asm__ volatile("a_label_%=: nop" ::: "memory");
  }
#pragma omp parallel
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < n; i++) {
    TELL(1, i, n);
    __asm__ volatile("a_label_%=: nop" ::: "memory");
    if (i == 20) {
#pragma omp cancel for
    }
  }
}
