#include "coverage.h"
//--- doacross.c
// SHAPE: `ordered(1)` with `depend(sink)`
void loops(int n) {
  long sum = 0;
#pragma omp parallel for ordered(1) schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
    STEP(0, i, n, i);
    sum = sum * 3 + i;
#pragma omp ordered depend(source)
  }
  printf("%ld\n", sum);
}
//--- doacross_2.c
// SHAPE: `ordered(2)` of a nest
void loops(int n) {
#pragma omp parallel for ordered(2) schedule(static, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      if (j == 0) STEP(0, i, n, i);
#pragma omp ordered depend(source)
    }
}
//--- monotonic.c
// SHAPE: `schedule(monotonic:static,4)`
// USER: 0
void loops(int n) {
#pragma omp parallel for schedule(monotonic : static, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- monotonic_unchunked.c
// SHAPE: `schedule(monotonic:static)`
void loops(int n) {
#pragma omp parallel for schedule(monotonic : static)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- nonmonotonic.c
// SHAPE: `schedule(nonmonotonic:static,4)`
// FLAGS: -fopenmp-version=51
void loops(int n) {
#pragma omp parallel for schedule(nonmonotonic : static, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- ordered.c
// SHAPE: `ordered`: the runtime deals the chunks
// DEALT: 0
// MONOTONIC: 0
void loops(int n) {
#pragma omp parallel for ordered schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp ordered
    STEP(0, i, n, i);
  }
}
//--- loop.c
// SHAPE: `loop` in a parallel region
// INSTRUMENTED: 1
// INSTRUMENTED-17: 0
// WRONG-17: every thread runs every iteration
void loops(int n) {
#pragma omp parallel
#pragma omp loop
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- parallel_loop.c
// SHAPE: `parallel loop`
// INSTRUMENTED: 1
// INSTRUMENTED-16: 0
// SERIAL-16: no worksharing
void loops(int n) {
#pragma omp parallel loop
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- target_parallel.c
// SHAPE: `target parallel for`, on the host
// INSTRUMENTED: 2
void loops(int n) {
#pragma omp target parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp target parallel for
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
}
//--- team_of_one.c
// SHAPE: `if(0)`: a team of one thread
// INSTRUMENTED: 2
void loops(int n) {
#pragma omp parallel for schedule(static, 10) if (n < 0)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for if (n < 0)
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
}
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
