/* forest N [untied]: explicit tasks that wait for those that they create, as deep as N, tied or untied, and a taskgroup with tasks of a
   loop. Prints how many tasks there were. */
#include <stdio.h>
#include <stdlib.h>

static long tasks;

static void grow(int depth) {
  if (depth == 0) return;
#pragma omp task
  grow(depth - 1);
#pragma omp task if (depth > 3)
  grow(depth - 2 > 0 ? depth - 2 : 0);
#pragma omp atomic
  tasks += 2;
#pragma omp taskwait
}

static void grow_untied(int depth) {
  if (depth == 0) return;
#pragma omp task untied
  grow_untied(depth - 1);
#pragma omp task untied
  grow_untied(depth - 2 > 0 ? depth - 2 : 0);
#pragma omp atomic
  tasks += 2;
#pragma omp taskwait
}

int main(int argc, char **argv) {
  int depth = argc > 1 ? atoi(argv[1]) : 10;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 50; i++) {
#pragma omp task
#pragma omp atomic
      tasks++;
    }
    if (argc > 2)
      grow_untied(depth);
    else
      grow(depth);
  }
  printf("%ld\n", tasks);
  return 0;
}
