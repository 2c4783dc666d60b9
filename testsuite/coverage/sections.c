//--- cancel_sections.c
// SHAPE: `cancel sections`
// CANCELLED: 0
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel sections
  {
#pragma omp section
    {
      STEP(0, 0, 3, n);
      if (n == 1) {
#pragma omp cancel sections
      }
    }
#pragma omp section
    STEP(0, 1, 3, n);
#pragma omp section
    STEP(0, 2, 3, n);
  }
  for (int i = 0; i < 3; i++) runs_of[0][i] = 0;
}
//--- parallel_sections.c
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
//--- proposed_sections.c
// SHAPE: `sections`, marked as a loop
// INSTRUMENTED: 0
// ALONE: a sections construct that the compiler did not mark as one, or of an unknown form
// ALONE: a sections construct that the compiler did not mark as one, or of an unknown form
// UNJUDGED: all
// PROPOSED: i32 1026, => i32 514,
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      MARK(0, 0, n);
#pragma omp section
      MARK(0, 1, n);
#pragma omp section
      MARK(0, 2, n);
    }
#pragma omp sections nowait
    {
#pragma omp section
      MARK(1, 0, n);
    }
  }
}
//--- reduction_sections.c
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
//--- sections.c
// SHAPE: `sections`
// INSTRUMENTED: 2
#include "coverage.h"

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
