// SHAPE: `collapse(3)`, of mixed types and steps
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for collapse(3) schedule(static, 4)
  for (int i = 0; i < n; i++)
    for (long j = 3; j > 0; j--)
      for (unsigned k = 0; k < 6; k += 2) STEP(0, (i * 3 + 3 - j) * 3 + k / 2, n * 9, j * 10 + k);
}
