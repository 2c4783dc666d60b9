// SHAPE: `taskloop`: no worksharing
// INSTRUMENTED: 0
// UNJUDGED: all
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
#pragma omp master
#pragma omp taskloop grainsize(10)
  for (int i = 0; i < n; i++) MARK(0, i, i);
}
