#include "coverage.h"
//--- parallel_sections.c
// SHAPE: `parallel sections`
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
//--- reduction_sections.c
// SHAPE: `sections` with `reduction` and `firstprivate`
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
//--- sections.c
// SHAPE: `sections`
// INSTRUMENTED: 2
void loops(int n) {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      STEP(0, 0, 3, n);
#pragma omp section
      STEP(0, 1, 3, n);
#pragma omp section
      STEP(0, 2, 3, n);
    }
#pragma omp sections nowait
    {
#pragma omp section
      STEP(1, 0, 1, n);
    }
  }
}
