// SHAPE: `target teams distribute`, on the host
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp target teams distribute dist_schedule(static, 4) num_teams(2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
