// Collapsed loops: the chunk is counted in iterations of the whole nest.
//
// LOOPS: 3
// NO-USER: 0 1 2
#include "program.h"

static void all(int n, int m) {
#pragma omp parallel for collapse(2) schedule(static, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) STEP(0, i * m + j, n * m, i * 100 + j);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) STEP(1, i * m + j, n * m, i * 100 + j);
#pragma omp parallel for collapse(3) schedule(static, 2)
  for (int i = 0; i < n; i++)
    for (long j = m; j > 0; j--)
      for (unsigned k = 0; k < 6; k += 2) STEP(2, (i * m + (m - j)) * 3 + k / 2, n * m * 3, i * 10000 + j * 100 + k);
  for (int loop = 0; loop < 3; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 10; n += 3) all(n, 7 - n / 2);
  return 0;
}
