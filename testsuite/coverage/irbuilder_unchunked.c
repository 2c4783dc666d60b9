// SHAPE: OpenMPIRBuilder's `for`
// FLAGS: -Xclang -fopenmp-enable-irbuilder
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
