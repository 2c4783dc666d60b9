// SHAPE: doacross `ordered(1) schedule(dynamic,2)`
// DEALT: 0
// MONOTONIC: 0
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for ordered(1) schedule(dynamic, 2)
  for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
    STEP(0, i, n, i);
#pragma omp ordered depend(source)
  }
}
