// SHAPE: `setjmp` before the loop in the same function
#include "coverage.h"
#include <setjmp.h>

// Not of the block: of such a variable clang 23 forgets what was written between setjmp and longjmp.
static _Thread_local volatile int times;

void loops(int n) {
#pragma omp parallel
  {
    jmp_buf back;
    times = 0;
    if (setjmp(back) == 0) times++, longjmp(back, 1);
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) STEP(0, i, n, i + times);
  }
}
