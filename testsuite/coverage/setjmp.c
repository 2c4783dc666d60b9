// SHAPE: `setjmp` in the body
// INSTRUMENTED: 2
#include "coverage.h"
#include <setjmp.h>

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      jmp_buf back;
      volatile int times = 0;
      if (setjmp(back) < 2) times++, longjmp(back, times);
      STEP(0, i, n, i + times);
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      jmp_buf back;
      volatile int times = 0;
      if (!setjmp(back)) times++, longjmp(back, 1);
      STEP(1, i, n, i + times);
    }
  }
}
