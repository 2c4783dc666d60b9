// A parallel loop that calls itself: several executions of one loop at the same time on one thread.
//
// LOOPS: 1
// THREADS: 1 2 3
#include "program.h"

static int count;

static void walk(int depth) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 4; i++) {
    TELL(0, i, 4);
#pragma omp atomic
    count++;
    if (depth > 0) walk(depth - 1);
  }
}

int main(void) {
  omp_set_max_active_levels(2);
  walk(3);
  printf("loop 0: %d runs\n", count);
  return 0;
}
