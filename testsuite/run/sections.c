// Each section is a chunk of its own: as many as threads, fewer, more, one, none of them with code, and with clauses.
//
// LOOPS: 7
// NO-USER: 0 1 2 3 4 5
// MATRIX: full
#include "program.h"

static void orphaned(void) {
#pragma omp sections
  {
#pragma omp section
    STEP(5, 0, 2, 50);
#pragma omp section
    STEP(5, 1, 2, 51);
  }
}

static long all_of(int add) {
  long sum = 0, last = 0;
#pragma omp parallel sections firstprivate(add) lastprivate(last) reduction(+ : sum)
  {
    {
      STEP(3, 0, 4, add);
      sum += add, last = 1;
    }
#pragma omp section
    {
      STEP(3, 1, 4, add + 1);
      sum += add + 1, last = 2;
    }
#pragma omp section
    {
      STEP(3, 2, 4, add + 2);
      for (int i = 0; i < 5; i++) sum += add + 2;
      last = 3;
    }
#pragma omp section
    {
      STEP(3, 3, 4, add + 3);
      sum += add + 3, last = 4;
    }
  }
  return 1000 * last + sum;
}

static void two_in_a_region(void) {
#pragma omp parallel
  for (int time = 0; time < 3; time++) {
#pragma omp sections nowait
    {
#pragma omp section
      STEP(1, 0, 2, 10);
#pragma omp section
      STEP(1, 1, 2, 11);
    }
#pragma omp sections
    {
#pragma omp section
      STEP(2, 0, 1, 20);
    }
#pragma omp barrier
  }
}

/* Each section runs a region of its own, with sections and a loop. */
static void nested(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      STEP(4, 0, 3, 40);
#pragma omp parallel num_threads(2)
      orphaned();
    }
#pragma omp section
    STEP(4, 1, 3, 41);
#pragma omp section
    {
      STEP(4, 2, 3, 42);
#pragma omp parallel for num_threads(2) schedule(static, 1)
      for (int i = 0; i < 3; i++) STEP(6, i, 3, i);
    }
  }
}

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel sections
  {
#pragma omp section
    STEP(0, 0, 9, 0);
#pragma omp section
    STEP(0, 1, 9, 1);
#pragma omp section
    STEP(0, 2, 9, 2);
#pragma omp section
    STEP(0, 3, 9, 3);
#pragma omp section
    STEP(0, 4, 9, 4);
#pragma omp section
    STEP(0, 5, 9, 5);
#pragma omp section
    STEP(0, 6, 9, 6);
#pragma omp section
    STEP(0, 7, 9, 7);
#pragma omp section
    STEP(0, 8, 9, 8);
  }
  two_in_a_region();
  printf("%ld\n", all_of(7));
  nested();
  for (int loop = 0; loop < 7; loop++) report(loop);
  return 0;
}
