// SHAPE: `sections` with `reduction` and `firstprivate`
#include "coverage.h"

void loops(int n) {
  long sum = 0;
#pragma omp parallel
#pragma omp sections firstprivate(n) reduction(+ : sum)
  {
#pragma omp section
    {
      STEP(0, 0, 2, n);
      sum += n++;
    }
#pragma omp section
    {
      STEP(0, 1, 2, n);
      for (int i = 0; i < n; i++) sum += i;
    }
  }
  printf("%ld\n", sum);
}
