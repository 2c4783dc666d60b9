// Values that each thread keeps over its iterations, and uses in the loop or after it: once a pass has put them into
// registers, nothing may forget them between two chunks.
//
// LOOPS: 5
#include "program.h"

static long total, furthest, places, turn_of[64];

static void all(int n) {
#pragma omp parallel
  {
    long mine = 0, most = -1, place = 0, turn = 0;
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
#pragma omp for schedule(static, 2)
    for (int i = 0; i < n; i++) {
      STEP(2, i, n, i);
      place++;
    }
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++) {
      STEP(3, i, n, i);
      mine -= i;
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      STEP(4, i, n, i);
      // Nobody reads it after the loop, so no pass need leave it in memory.
      turn_of[i] = ++turn;
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
    for (int loop = 0; loop < 5; loop++) report(loop);
    printf("total %ld, furthest %ld, places %ld\n", total, furthest, places);
    // Of one thread it is known.
    for (int i = 0; omp_get_max_threads() == 1 && i < n; i++)
      if (turn_of[i] != i + 1) printf("iteration %d had turn %ld\n", i, turn_of[i]);
  }
  return 0;
}
