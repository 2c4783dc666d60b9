#include "coverage.h"
//--- cancel.c
// SHAPE: `cancel for`, with and without a chunk
// INSTRUMENTED: 2
// CANCELLED: 0 1
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 10)
    for (int i = 0; i < n; i++) {
      TELL(0, i, n);
      if (i == 23) {
#pragma omp cancel for
      }
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      TELL(1, i, n);
      if (i == 23) {
#pragma omp cancel for
      }
    }
  }
}
//--- cancellation_point.c
// SHAPE: `cancellation point`
// CANCELLED: 0
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
void loops(int n) {
#pragma omp parallel
#pragma omp for schedule(static, 4)
  for (int i = 0; i < n; i++) {
    TELL(0, i, n);
#pragma omp cancellation point for
    if (i == 23) {
#pragma omp cancel for
    }
  }
}
//--- explicit_task.c
// SHAPE: the region in an explicit task
void loops(int n) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  {
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++) TELL(0, i, n);
  }
}
//--- nested_parallel.c
// SHAPE: nested parallelism
// INSTRUMENTED: 2
void loops(int n) {
  omp_set_max_active_levels(2);
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    if (i % 19 == 0) {
#pragma omp parallel for schedule(static, 2) num_threads(2)
      for (int j = 0; j < 5; j++) TELL(1, j, 5);
    }
  }
}
//--- nested_serial.c
// SHAPE: a static loop in the body of another, its team of one thread
// INSTRUMENTED: 2
void loops(int n) {
  omp_set_max_active_levels(1);
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    if (i % 19 == 0) {
#pragma omp parallel for schedule(static, 2)
      for (int j = 0; j < 5; j++) TELL(1, j, 5);
    }
  }
}
//--- num_threads.c
// SHAPE: `num_threads(5)`
void loops(int n) {
#pragma omp parallel for schedule(static, 4) num_threads(5)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- num_threads_strict.c
// SHAPE: `num_threads(strict: 2)`
// CANNOT-20: it does not know the modifier
// FLAGS: -fopenmp-version=60
void loops(int n) {
#pragma omp parallel for schedule(static, 4) num_threads(strict: 2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- orphaned.c
// SHAPE: orphaned `for`
static void orphan(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}

void loops(int n) {
#pragma omp parallel
  orphan(n);
}
//--- orphaned_alone.c
// SHAPE: orphaned `for` outside any parallel region
void loops(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- recursion.c
// SHAPE: a body that runs the same loop in a nested region
static void level(int n, int deeper) {
  int trip = n < 9 ? n : 9;
#pragma omp parallel for schedule(static, 2) num_threads(2)
  for (int i = 0; i < trip; i++) {
    TELL(deeper ? 0 : 1, i, trip);
    if (deeper) level(i, 0);
  }
}

void loops(int n) {
  omp_set_max_active_levels(2);
  level(n, 1);
}
//--- sequential_outer.c
// SHAPE: a worksharing loop in a sequential one
void loops(int n) {
#pragma omp parallel
  for (int round = 0; round < 3; round++) {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) STEP(round, i, n, i);
  }
}
