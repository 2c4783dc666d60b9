// Values that each thread keeps over its iterations, and uses in the loop or after it: once a pass has put them into
// registers, nothing may forget them between two chunks.
//
// LOOPS: 4
#include "program.h"

static long total, furthest, places;

static void all(int n) {
#pragma omp parallel
  {
    long mine = 0, most = -1, place = 0;
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      STEP(0, i, n, i);
      mine += i;
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      STEP(1, i, n, i);
      if (most < i) most = i;
    }
#pragma omp for schedule(static, 2) nowait
    for (int i = 0; i < n; i++) {
      STEP(2, i, n, i);
      place++;
    }
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++) {
      STEP(3, i, n, i);
      mine -= i;
    }
#pragma omp atomic
    total += mine;
#pragma omp atomic
    places += place;
#pragma omp critical
    if (furthest < most) furthest = most;
  }
}

int main(void) {
  for (int n = 1; n < 60; n += 19) {
    total = places = 0, furthest = -1;
    all(n);
    for (int loop = 0; loop < 4; loop++) report(loop);
    printf("total %ld, furthest %ld, places %ld\n", total, furthest, places);
  }
  return 0;
}
