// Teams of one: the whole loop on the encountering thread.
//
// LOOPS: 4
// USER: 0 1 2 3
#include "program.h"

static void all(int n, int parallel) {
#pragma omp parallel for schedule(static, 3) if (0)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for schedule(static, 3) if (parallel)
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp parallel for schedule(static, 3) num_threads(1)
  for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp parallel for if (parallel)
  for (int i = 0; i < n; i++) STEP(3, i, n, i);
  for (int loop = 0; loop < 4; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 20; n += 6) all(n, 0), all(n, 1);
  return 0;
}
