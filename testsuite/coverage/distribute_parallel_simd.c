// SHAPE: `distribute parallel for simd`
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp teams distribute parallel for simd schedule(static, 5) num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
