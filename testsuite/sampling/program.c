// Short loops and tasks in quick succession, so that a sample often meets one that begins or ends.
#include <stdio.h>

static long sum;

__attribute__((noinline)) static void inner(int start, int n, int step) {
  long mine = 0;
#pragma omp parallel for schedule(static, 2) reduction(+ : mine) num_threads(1)
  for (int i = start; i < start + n * step; i += step) mine += i;
#pragma omp atomic
  sum += mine;
}

__attribute__((noinline)) static void fixed(int start, int n, int step) {
#pragma omp for schedule(static, 3) nowait
  for (int i = start; i < start + n * step; i += step) {
    if (i % 16 == 0) inner(11, 5, 5);
#pragma omp atomic
    sum += i;
  }
}

__attribute__((noinline)) static void dealt(int start, int n, int step) {
#pragma omp for schedule(dynamic, 2) nowait
  for (int i = start; i < start + n * step; i += step) {
#pragma omp task
    {
#pragma omp atomic
      sum += i;
    }
  }
}

int main(void) {
  for (int times = 0; times < 800; times++) {
#pragma omp parallel num_threads(3)
    {
      fixed(100, 20, 3);
      dealt(-7, 20, 2);
    }
  }
  printf("%ld\n", sum);
  return 0;
}
