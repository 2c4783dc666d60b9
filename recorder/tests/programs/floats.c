/* Integers alone: no flag of fractions is raised by the program. Prints which are, and then runs with a trap on one that is raised by
 * nearly all that is rounded. */
#define _GNU_SOURCE
#include <fenv.h>
#include <stdio.h>

static volatile long cells[4096];

static void region(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 4096; i++)
      for (int j = 0; j < i / 64; j++) cells[i] += j;
#pragma omp for schedule(static, 64)
    for (int i = 0; i < 4096; i++) cells[i]++;
#pragma omp single
    for (int k = 0; k < 8; k++) {
#pragma omp task
      cells[k]++;
    }
  }
}

int main(void) {
  int flags = 0;
  region();
  for (int k = 0; k < 500; k++) {
    feclearexcept(FE_ALL_EXCEPT);
    region();
    flags |= fetestexcept(FE_ALL_EXCEPT);
  }
  printf("flags %#x\n", flags);
  fflush(stdout);
  feclearexcept(FE_ALL_EXCEPT);
#ifdef __x86_64__
  feenableexcept(FE_INEXACT);
#endif
  for (int k = 0; k < 500; k++) region();
  puts("trap ok");
  return 0;
}
