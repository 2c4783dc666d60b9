// Short loops: no iteration, one, fewer chunks than threads, a chunk larger than the loop, a last
// chunk that is cut, one that is not.
//
// LOOPS: 5
// USER: 0 1 2 3 4
// MATRIX: full
#include "program.h"

static void all(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, 2)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(static, 5)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(static, 1000)
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
#pragma omp for
    for (int i = 0; i < n; i++) STEP(4, i, n, i);
  }
}

int main(void) {
  for (int n = 0; n <= 16; n++) {
    all(n);
    for (int loop = 0; loop < 5; loop++) report(loop);
  }
  return 0;
}
