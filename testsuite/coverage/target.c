// SHAPE: `target teams distribute parallel for`, on the host
// INSTRUMENTED: 2
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp target teams distribute parallel for schedule(static, 10) num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
