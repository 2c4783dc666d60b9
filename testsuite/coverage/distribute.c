//--- distribute.c
// SHAPE: `teams distribute`
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp teams distribute num_teams(3)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_chunked.c
// SHAPE: `teams`, `distribute dist_schedule(static,4)`
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp teams num_teams(2)
#pragma omp distribute dist_schedule(static, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_chunked_parallel.c
// SHAPE: `distribute parallel for dist_schedule(static,12)`
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for dist_schedule(static, 12)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_chunked_parallel_chunked.c
// SHAPE: `distribute parallel for` with both schedules chunked
// INSTRUMENTED: 4
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

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
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_parallel_chunked.c
// SHAPE: `distribute parallel for schedule(static,10)`
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

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
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp teams distribute parallel for schedule(dynamic, 3) num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_parallel_simd.c
// SHAPE: `distribute parallel for simd`
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

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
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp teams num_teams(2) thread_limit(3)
#pragma omp distribute parallel for schedule(static, 1) num_threads(3)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- distribute_simd.c
// SHAPE: `distribute simd`, with and without a chunk
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp teams distribute simd num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp teams distribute simd dist_schedule(static, 3) num_teams(2)
  for (unsigned i = 0; i < (unsigned)n; i++) STEP(1, i, n, i);
}
//--- loop.c
// SHAPE: `loop` in a parallel region
// INSTRUMENTED: 1
// INSTRUMENTED-17: 0
// WRONG-17: every thread runs every iteration
#include "coverage.h"

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
#include "coverage.h"

void loops(int n) {
#pragma omp parallel loop
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- target.c
// SHAPE: `target teams distribute parallel for`, on the host
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp target teams distribute parallel for schedule(static, 10) num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- target_parallel.c
// SHAPE: `target parallel for`, on the host
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
#pragma omp target parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp target parallel for
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
}
//--- target_teams.c
// SHAPE: `target teams distribute`, on the host
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp target teams distribute dist_schedule(static, 4) num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- team_of_one.c
// SHAPE: `if(0)`: a team of one thread
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 10) if (n < 0)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for if (n < 0)
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
}
//--- teams_loop.c
// SHAPE: `teams loop`
// INSTRUMENTED: 1
// INSTRUMENTED-18: 2
// INSTRUMENTED-16: 0
// SERIAL-16: no worksharing
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp teams loop num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
