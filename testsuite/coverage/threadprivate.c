// SHAPE: `threadprivate` with `copyin`
// BY-THREAD: yes
#include "coverage.h"

static int own;
#pragma omp threadprivate(own)

void loops(int n) {
  own = n;
#pragma omp parallel for schedule(static, 10) copyin(own)
  for (int i = 0; i < n; i++) STEP(0, i, n, own++);
}
