/* Regions, loops, tasks and barriers, and a result; with "exit", ends while other threads run loops. With LIBRARY, a part that a
 * host opens and closes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long run(void) {
  long sum = 0;
  for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp for schedule(static)
      for (int i = 0; i < 300; i++) sum += i;
#pragma omp for schedule(dynamic, 10)
      for (int i = 0; i < 300; i++) sum += i;
#pragma omp single
      for (int i = 0; i < 10; i++) {
#pragma omp task
        __asm__ volatile("");
      }
#pragma omp parallel num_threads(2)
      __asm__ volatile("");
    }
  }
  return sum;
}

#ifdef LIBRARY
void part(void) { printf("%ld\n", run()); }
#else
int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "exit")) {
#pragma omp parallel num_threads(4)
    for (int round = 0;; round++) {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 100; i++) {
        if (round == 50 && i == 0) {
          puts("exit");
          exit(0);
        }
      }
    }
  }
  printf("%ld\n", run());
  return 0;
}
#endif
