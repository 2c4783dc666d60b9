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
