// Chunks far larger than the loop, up to what the runtime can multiply by the number of threads.
//
// LOOPS: 5
// USER: 0 1 2 3 4
#include "program.h"

static void all(int n, long chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 1 << 28)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, (int)chunk)
    for (unsigned i = 0; i < (unsigned)n; i++) STEP(1, i, n, i);
#pragma omp for schedule(static, 1L << 31)
    for (long i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(static, chunk << 20)
    for (unsigned long i = 0; i < (unsigned long)n; i++) STEP(3, i, n, i);
#pragma omp for schedule(static, chunk)
    for (long i = n; i > 0; i -= 2) STEP(4, (n - i) / 2, (n + 1) / 2, i);
  }
  for (int loop = 0; loop < 5; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 10; n += 3) all(n, 1L << 28);
  return 0;
}
