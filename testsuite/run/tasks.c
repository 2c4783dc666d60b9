// Explicit tasks between and inside of iterations, with parallel loops of their own: a thread leaves an
// iteration for another task's loop and comes back.
//
// LOOPS: 3
// THREADS: 1 2 3
#include "program.h"

static long outer, inner, later;

static void nested(int loop, long *count) {
#pragma omp parallel for schedule(static, 2) num_threads(2)
  for (int j = 0; j < 5; j++) {
    TELL(loop, j, 5);
#pragma omp atomic
    (*count)++;
  }
}

static void nested_too(long *count) {
#pragma omp parallel for
  for (int j = 0; j < 3; j++) {
    TELL(2, j, 3);
#pragma omp atomic
    (*count)++;
  }
}

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < 20; i++) {
      TELL(0, i, 20);
#pragma omp atomic
      outer++;
#pragma omp task
      nested(1, &inner);
      if (i % 4 == 0) {
#pragma omp taskwait
      }
#pragma omp task
      nested_too(&later);
    }
  }
  printf("loop 0: %ld runs\nloop 1: %ld runs\nloop 2: %ld runs\n", outer, inner, later);
  return 0;
}
