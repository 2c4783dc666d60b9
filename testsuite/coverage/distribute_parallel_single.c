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
