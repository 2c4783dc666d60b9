// SHAPE: `lastprivate(conditional:)`
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
  int last = -1, other = -1;
#pragma omp parallel for schedule(static, 10) lastprivate(conditional : last)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    if (i % 7 == 3) last = i;
  }
#pragma omp parallel for lastprivate(conditional : other)
  for (int i = 0; i < n; i++) {
    STEP(1, i, n, i);
    if (i % 7 == 3) other = i;
  }
}
