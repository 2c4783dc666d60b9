// SHAPE: `teams distribute`
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp teams distribute num_teams(3)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
