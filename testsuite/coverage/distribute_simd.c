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
