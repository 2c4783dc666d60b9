#include "coverage.h"
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
