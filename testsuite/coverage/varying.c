#define THREADS_VARY
#include "coverage.h"
//--- auto.c
// SHAPE: `schedule(auto)`
// DEALT: 0
void loops(int n) {
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- cancel_sections.c
// SHAPE: `cancel sections`
// CANCELLED: 0
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
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
//--- distribute.c
// SHAPE: `teams distribute`
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp teams distribute num_teams(3)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_chunked.c
// SHAPE: `teams`, `distribute dist_schedule(static,4)`
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp teams num_teams(2)
#pragma omp distribute dist_schedule(static, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_chunked_parallel.c
// SHAPE: `distribute parallel for dist_schedule(static,12)`
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for dist_schedule(static, 12)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_chunked_parallel_chunked.c
// SHAPE: `distribute parallel for` with both schedules chunked
// INSTRUMENTED: 4
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for dist_schedule(static, 12) schedule(static, 5)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp teams distribute parallel for dist_schedule(static, 12) schedule(static, 5) num_teams(2)
  for (long i = n; i > 0; i--) STEP(1, n - i, n, i);
}
//--- distribute_parallel.c
// SHAPE: `distribute parallel for`
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_parallel_chunked.c
// SHAPE: `distribute parallel for schedule(static,10)`
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_parallel_dynamic.c
// SHAPE: `distribute parallel for schedule(dynamic)`
// INSTRUMENTED: 2
// DEALT: 0
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp teams distribute parallel for schedule(dynamic, 3) num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_parallel_simd.c
// SHAPE: `distribute parallel for simd`
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp teams distribute parallel for simd schedule(static, 5) num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_parallel_single.c
// SHAPE: `distribute parallel for schedule(static,1)`, which clang makes one loop that steps by the stride
// INSTRUMENTED: 2
// THREADS: 2 3
// ENV: KMP_TEAMS_THREAD_LIMIT=12
//
// In a team of one thread the stock program runs one iteration only: libomp makes one chunk of all of them.
void loops(int n) {
#pragma omp teams num_teams(2) thread_limit(3)
#pragma omp distribute parallel for schedule(static, 1) num_threads(3)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_simd.c
// SHAPE: `distribute simd`, with and without a chunk
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp teams distribute simd num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp teams distribute simd dist_schedule(static, 3) num_teams(2)
  for (unsigned i = 0; i < (unsigned)n; i++) STEP(1, i, n, i);
}
//--- guided.c
// SHAPE: `schedule(guided)`
// DEALT: 0
void loops(int n) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- proposed_sections.c
// SHAPE: `sections`, marked as a loop
// INSTRUMENTED: 0
// ALONE: a sections construct that the compiler did not mark as one, or of an unknown form
// ALONE: a sections construct that the compiler did not mark as one, or of an unknown form
// UNJUDGED: all
// PROPOSED: i32 1026, => i32 514,
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
//--- runtime.c
// SHAPE: `schedule(runtime)`
// DEALT: 0
// ENV: OMP_SCHEDULE=static,5
// ENV: OMP_SCHEDULE=dynamic,5
void loops(int n) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- target.c
// SHAPE: `target teams distribute parallel for`, on the host
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp target teams distribute parallel for schedule(static, 10) num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- target_teams.c
// SHAPE: `target teams distribute`, on the host
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp target teams distribute dist_schedule(static, 4) num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- taskloop.c
// SHAPE: `taskloop`: no worksharing
// INSTRUMENTED: 0
// UNJUDGED: all
void loops(int n) {
#pragma omp parallel
#pragma omp master
#pragma omp taskloop grainsize(10)
  for (int i = 0; i < n; i++) MARK(0, i, i);
}
//--- teams_loop.c
// SHAPE: `teams loop`
// INSTRUMENTED: 1
// INSTRUMENTED-18: 2
// INSTRUMENTED-16: 0
// SERIAL-16: no worksharing
// ENV: KMP_TEAMS_THREAD_LIMIT=12
void loops(int n) {
#pragma omp teams loop num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- three_loops.c
// SHAPE: static, static and dynamic loop in one region
// INSTRUMENTED: 3
// DEALT: 2
void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 10)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
  }
}
