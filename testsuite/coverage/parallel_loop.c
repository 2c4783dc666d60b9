// SHAPE: `parallel loop`
// INSTRUMENTED: 1
// INSTRUMENTED-16: 0
// SERIAL-16: no worksharing
#include "coverage.h"

void loops(int n) {
#pragma omp parallel loop
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
