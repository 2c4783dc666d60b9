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
