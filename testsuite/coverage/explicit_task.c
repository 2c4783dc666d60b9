// SHAPE: the region in an explicit task
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  {
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++) TELL(0, i, n);
  }
}
