// Clauses that put code around the loop: lastprivate, firstprivate, reduction, linear.
//
// LOOPS: 5
// BY-THREAD: yes
#include "program.h"

typedef struct {
  double x[3];
  int n;
} wide_t;

static void all(int n) {
  int last = -1, first = 7, linear = 5;
  long sum = 0;
  unsigned most = 0;
  wide_t wide = {{1, 2, 3}, 4};
#pragma omp parallel for schedule(static, 4) lastprivate(last)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    last = i * 3;
  }
#pragma omp parallel for schedule(static, 4) reduction(+ : sum) reduction(max : most)
  for (int i = 0; i < n; i++) {
    STEP(1, i, n, i);
    sum += i;
    if ((unsigned)i * 7u % 31u > most) most = (unsigned)i * 7u % 31u;
  }
#pragma omp parallel for schedule(static, 4) firstprivate(first, wide)
  for (int i = 0; i < n; i++) {
    STEP(2, i, n, first + wide.n);
    first += i, wide.n++;
  }
#pragma omp parallel for schedule(static, 4) linear(linear : 2)
  for (int i = 0; i < n; i++) {
    STEP(3, i, n, linear);
    linear += 2;
  }
#pragma omp parallel for lastprivate(wide) firstprivate(wide)
  for (int i = 0; i < n; i++) {
    STEP(4, i, n, i);
    wide.n = i;
  }
  for (int loop = 0; loop < 5; loop++) report(loop);
  printf("last %d, linear %d, sum %ld, most %u, wide %d\n", last, linear, sum, most, wide.n);
}

int main(void) {
  for (int n = 1; n < 40; n += 13) all(n);
  return 0;
}
