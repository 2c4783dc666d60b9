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
