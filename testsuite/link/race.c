// Loops whose only order is the runtime's barriers, which a race detector must hear of; with RACE, one that has none.
#include <stdio.h>

static double a[100];
static int sum;

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < 100; i++) a[i] += i;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 100; i++) a[99 - i] += 1;
#pragma omp critical
    sum++;
  }
#if RACE
#pragma omp parallel for schedule(static, 3) num_threads(4)
  for (int i = 0; i < 1000; i++) sum += i;
#endif
  printf("done %g\n", a[0] + (sum > 0));
  return 0;
}
