/* waits N: takes a lock, a nestable one, a critical section, an ordered section and explicit tasks a known number of times on two
   threads, and prints how often: locks, nestable locks, critical sections, ordered sections, tasks. */
#include <stdio.h>
#include <stdlib.h>

/* Not every compiler of the tests comes with omp.h. */
typedef struct {
  void *of_the_runtime;
} a_lock;
void omp_init_lock(a_lock *);
void omp_set_lock(a_lock *);
void omp_unset_lock(a_lock *);
void omp_init_nest_lock(a_lock *);
void omp_set_nest_lock(a_lock *);
void omp_unset_nest_lock(a_lock *);

static int fib(int n, long *tasks) {
  int a, b;
  if (n < 2) return n;
#pragma omp atomic
  *tasks += 2;
#pragma omp task shared(a)
  a = fib(n - 1, tasks);
#pragma omp task shared(b)
  b = fib(n - 2, tasks);
#pragma omp taskwait
  return a + b;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  long locked = 0, nested = 0, critical = 0, ordered = 0, tasks = 0, untied = 0;
  a_lock lock, nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) {
      omp_set_lock(&lock);
      locked++;
      omp_unset_lock(&lock);
      omp_set_nest_lock(&nest);
      omp_set_nest_lock(&nest);
      nested++;
      omp_unset_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
#pragma omp critical(in_the_loop)
      critical++;
    }
#pragma omp for schedule(dynamic, 3) ordered
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      ordered++;
    }
/* Not in a loop. */
#pragma omp critical(in_the_loop)
    critical++;
#pragma omp single
    {
      fib(12, &tasks);
      /* Run at once, and in pieces. */
      for (int i = 0; i < 100; i++) {
#pragma omp task if (i % 2)
#pragma omp atomic
        untied++;
#pragma omp task untied
        {
#pragma omp taskyield
#pragma omp atomic
          untied++;
        }
      }
    }
  }
  if (locked != n || nested != n || critical != n + 2 || ordered != n || untied != 200) return 1;
  printf("%d %d %d %d %ld\n", n, n, n + 2, n, tasks + 200);
  return 0;
}
