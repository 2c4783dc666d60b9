/* schedules - the same work, dealt in every way: the example for chunk-overhead.
 *
 *   schedules [iterations] [flops per iteration]
 *
 * Prints the sum of the results, which is the same for every schedule.
 */
#include <stdio.h>
#include <stdlib.h>

static int flops;

static double work(int i) {
  double x = i;
  for (int k = 0; k < flops; k++) x = x * 0.5 + 1;
  return x;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 20000;
  flops = argc > 2 ? atoi(argv[2]) : 200;
  double sums[5] = {0};
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) mine += work(i);
#pragma omp atomic
    sums[0] += mine;
    mine = 0;
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) mine += work(i);
#pragma omp atomic
    sums[1] += mine;
    mine = 0;
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) mine += work(i);
#pragma omp atomic
    sums[2] += mine;
    mine = 0;
#pragma omp for schedule(guided)
    for (int i = 0; i < n; i++) mine += work(i);
#pragma omp atomic
    sums[3] += mine;
#pragma omp single
    for (int i = 0; i < n; i += 4) {
#pragma omp task firstprivate(i)
      {
        double part = 0;
        for (int k = i; k < i + 4 && k < n; k++) part += work(k);
#pragma omp atomic
        sums[4] += part;
      }
    }
  }
  for (int k = 0; k < 5; k++) printf("%.3f\n", sums[k]);
  return 0;
}
