// A fixed amount of work in a loop, twelve calls deep, for scripts/stacks-cost.sh. Prints the CPU time that it took.
#include <stdio.h>
#include <sys/resource.h>

static double work(long n) {
  double x = 1;
  for (long i = 0; i < n; i++)
    x = x * 1.0000001 + 1e-9;
  return x;
}

__attribute__((noinline)) static double deep(int depth, long n) {
  return depth > 0 ? deep(depth - 1, n) + 1 : work(n);
}

int main(void) {
  double sum = 0;
  for (int step = 0; step < 400; step++) {
#pragma omp parallel for schedule(static, 1) num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 20; i++)
      sum += deep(12, 200000);
  }
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  printf("%f\n", seconds + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6);
  return sum > 0 ? 0 : 1;
}
