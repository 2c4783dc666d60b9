// SHAPE: `firstprivate`
// BY-THREAD: yes
#include "coverage.h"

void loops(int n) {
  int first = 3;
#pragma omp parallel
#pragma omp for schedule(static, 10) firstprivate(first)
  for (int i = 0; i < n; i++) STEP(0, i, n, first++);
}
