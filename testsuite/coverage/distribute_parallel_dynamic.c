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
