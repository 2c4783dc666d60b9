/* What GCC calls its runtime for, and a loop for which it does not. Prints the results, then who ran which iteration of the guided
 * loop, and how many tasks there were. */
#include <omp.h>
#include <stdio.h>

static long sum, tasks;
static int who[1000];
static omp_lock_t lock;

static long fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp atomic
  tasks += 2;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void section(int *sections) {
#pragma omp atomic
  ++*sections;
}

int main(void) {
  long result = 0, in_order = 0, of_taskloop = 0;
  int sections = 0, nested = 0;
  omp_init_lock(&lock);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 7)
    for (int i = 0; i < 1000; i++)
#pragma omp critical
      sum += i;
#pragma omp for schedule(guided, 3)
    for (int i = 0; i < 1000; i++) {
      omp_set_lock(&lock);
      sum += i;
      who[i] = omp_get_thread_num();
      omp_unset_lock(&lock);
    }
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; i++)
#pragma omp atomic
      sum += i;
#pragma omp for ordered schedule(dynamic, 1)
    for (int i = 0; i < 20; i++)
#pragma omp ordered
      in_order = in_order * 3 % 1000003 + i;
#pragma omp sections
    {
#pragma omp section
      section(&sections);
#pragma omp section
      section(&sections);
#pragma omp section
      section(&sections);
    }
#pragma omp single
    result = fib(12);
#pragma omp single
#pragma omp taskloop num_tasks(9) reduction(+ : of_taskloop)
    for (int i = 0; i < 900; i++) of_taskloop += i;
#pragma omp parallel num_threads(2)
#pragma omp atomic
    nested++;
  }
  printf("%ld %ld %ld %ld %d %d\n", sum, in_order, result, of_taskloop, sections, nested);
  for (int i = 0; i < 1000; i++) fprintf(stderr, "%d", who[i]);
  fprintf(stderr, "\n%ld\n", tasks + 9);
  return 0;
}
