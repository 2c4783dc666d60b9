// Iterations that wait for each other across chunks.
//
// LOOPS: 2
// USER: 0
#include "program.h"

static long sum[64], square[16][16];

int main(void) {
  int n = 40, m = 8;
#pragma omp parallel for ordered(1) schedule(static, 3)
  for (int i = 1; i < n; i++) {
    STEP(0, i - 1, n - 1, i);
#pragma omp ordered depend(sink : i - 1)
    sum[i] = sum[i - 1] + i;
#pragma omp ordered depend(source)
  }
#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 1; i < m; i++)
    for (int j = 1; j < m; j++) {
      if (j == 1) STEP(1, i - 1, m - 1, i);
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      square[i][j] = square[i - 1][j] + square[i][j - 1] + 1;
#pragma omp ordered depend(source)
    }
  report(0);
  report(1);
  printf("%ld %ld\n", sum[n - 1], square[m - 1][m - 1]);
  return 0;
}
