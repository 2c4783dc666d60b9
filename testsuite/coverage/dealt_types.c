// SHAPE: int, unsigned, long, unsigned long where the runtime deals the chunks
// INSTRUMENTED: 4
// DEALT: 0 1 2 3
// USER: 0 1 2 3
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
  unsigned u = (unsigned)n;
  long l = n;
  unsigned long ul = u;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(guided, 2)
    for (unsigned i = 0; i < u; i++) STEP(1, i, n, i);
#pragma omp for schedule(dynamic)
    for (long i = 0; i < l; i++) STEP(2, i, n, i);
#pragma omp for schedule(auto)
    for (unsigned long i = 0; i < ul; i++) STEP(3, i, n, i);
  }
}
