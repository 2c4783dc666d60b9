// A body too large to be worth a copy: one loop with a tested flag, optimised or not.
//
// LOOPS: 2
// USER: 0 1
#include "program.h"

#define FOUR(x) x x x x
#define MUCH(x) FOUR(FOUR(FOUR(FOUR(x))))

static double cell[MOST];

int main(void) {
  int n = 50;
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) {
      STEP(0, i, n, i);
      MUCH(cell[i] = cell[i] * 1.0001 + i; if (cell[i] > 1e6) cell[i] -= 1e6;)
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      STEP(1, i, n, i);
      MUCH(cell[i] = cell[i] * 1.0002 - i; if (cell[i] < 0) cell[i] = -cell[i];)
    }
  }
  report(0);
  report(1);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += cell[i];
  printf("%.17g\n", sum);
  return 0;
}
