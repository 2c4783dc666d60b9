// SHAPE: `lastprivate`
#include "coverage.h"

void loops(int n) {
  int last = -1;
#pragma omp parallel for schedule(static, 10) lastprivate(last)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    last = i;
  }
  printf("%d\n", n ? last : -1);
}
