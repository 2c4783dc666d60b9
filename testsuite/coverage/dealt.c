#include "coverage.h"
//--- doacross.c
// SHAPE: `ordered(1)` with `depend(sink)`
void loops(int n) {
  long sum = 0;
#pragma omp parallel for ordered(1) schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
    STEP(0, i, n, i);
    sum = sum * 3 + i;
#pragma omp ordered depend(source)
  }
  printf("%ld\n", sum);
}
//--- doacross_2.c
// SHAPE: `ordered(2)` of a nest
void loops(int n) {
#pragma omp parallel for ordered(2) schedule(static, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      if (j == 0) STEP(0, i, n, i);
#pragma omp ordered depend(source)
    }
}
//--- monotonic.c
// SHAPE: `schedule(monotonic:static,4)`
// USER: 0
void loops(int n) {
#pragma omp parallel for schedule(monotonic : static, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- monotonic_unchunked.c
// SHAPE: `schedule(monotonic:static)`
void loops(int n) {
#pragma omp parallel for schedule(monotonic : static)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- nonmonotonic.c
// SHAPE: `schedule(nonmonotonic:static,4)`
// FLAGS: -fopenmp-version=51
void loops(int n) {
#pragma omp parallel for schedule(nonmonotonic : static, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- ordered.c
// SHAPE: `ordered`: the runtime deals the chunks
// DEALT: 0
// MONOTONIC: 0
void loops(int n) {
#pragma omp parallel for ordered schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp ordered
    STEP(0, i, n, i);
  }
}
