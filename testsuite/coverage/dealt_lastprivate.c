// SHAPE: `lastprivate`, `firstprivate`, `reduction`, `linear` where the runtime deals the chunks
// DEALT: 0
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
  int last = -1, first = 7, sum = 0, linear = 0;
#pragma omp parallel for schedule(dynamic, 4) lastprivate(last) firstprivate(first)               \
    reduction(+ : sum) linear(linear : 2)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    last = i - first;
    sum += i + linear;
    linear += 2;
  }
  // Stock programs have now and then a wrong `last`: the runtime may clear the flag that it is taken by.
  printf("%d %d\n", sum, last > n);
}
