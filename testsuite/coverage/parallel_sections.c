// SHAPE: `parallel sections`
#include "coverage.h"

void loops(int n) {
  int last = 0;
#pragma omp parallel sections lastprivate(last)
  {
#pragma omp section
    {
      STEP(0, 0, 2, n);
      last = n;
    }
#pragma omp section
    {
      STEP(0, 1, 2, n);
      last = n + 1;
    }
  }
  printf("%d\n", last);
}
