// Loops dealt to the teams of a league, alone and combined with a worksharing loop inside each team.
//
// LOOPS: 8
// THREADS: 1 2 3
// ENV: KMP_TEAMS_THREAD_LIMIT=12
#include "program.h"

static int runs[6];

#define RUN(loop, index)                                                                           \
  do {                                                                                             \
    TELL(loop, index, n);                                                                          \
    __atomic_fetch_add(&runs[loop], 1, __ATOMIC_RELAXED);                                          \
  } while (0)

static void all(int n) {
#pragma omp teams distribute dist_schedule(static, 2) num_teams(2)
  for (int i = 0; i < n; i++) RUN(0, i);
#pragma omp teams distribute num_teams(3)
  for (long i = 0; i < n; i++) RUN(1, i);
#pragma omp teams distribute parallel for num_teams(2) thread_limit(3) num_threads(3)
  for (int i = 0; i < n; i++) RUN(2, i);
#pragma omp teams distribute parallel for schedule(static, 2) num_teams(2) thread_limit(4) num_threads(2)
  for (int i = 0; i < n; i++) RUN(3, i);
#pragma omp teams num_teams(2)
  {
#pragma omp distribute dist_schedule(static, 3)
    for (unsigned i = 0; i < (unsigned)n; i++) RUN(4, i);
#pragma omp distribute
    for (int i = n; i > 0; i--) RUN(5, n - i);
  }
}

int main(void) {
  for (int n = 0; n < 30; n += 7) all(n);
  for (int loop = 0; loop < 6; loop++) printf("loop %d: %d runs\n", loop, runs[loop]);
  return 0;
}
