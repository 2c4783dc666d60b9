// SHAPE: a variable-length array in the body, and one private
#include "coverage.h"

void loops(int n) {
  int private_one[n + 1];
#pragma omp parallel for schedule(static, 3) private(private_one)
  for (int i = 0; i < n; i++) {
    int array[i + 1];
    private_one[i] = array[i] = i * 5;
    STEP(0, i, n, array[i] + private_one[i]);
  }
}
