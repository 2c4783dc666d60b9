// SHAPE: OpenMPIRBuilder's `for schedule(static,10)` without an iteration
// NOTHING-RUNS: yes
// DIES-21: it divides by 0 in the runtime
// FLAGS: -Xclang -fopenmp-enable-irbuilder
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
#pragma omp for schedule(static, 10)
  for (int i = n; i < n; i++) STEP(0, i, n, i);
}
