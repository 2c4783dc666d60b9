// SHAPE: OpenMPIRBuilder's `for schedule(static,10)`
// FLAGS: -Xclang -fopenmp-enable-irbuilder
#define LEAST_TRIP 1
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
