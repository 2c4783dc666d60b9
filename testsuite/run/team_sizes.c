// The team grows and shrinks between executions of the same loop.
//
// LOOPS: 2
// THREADS: 3
#include "program.h"

int main(void) {
  for (int round = 0; round < 12; round++) {
    int threads = round * 5 % 7 + 1;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static, 2)
      for (int i = 0; i < 23; i++) STEP(0, i, 23, threads);
#pragma omp for
      for (int i = 0; i < 5; i++) STEP(1, i, 5, threads);
    }
    report(0);
    report(1);
  }
  return 0;
}
