// Regions inside iterations: the inner loops run on the outer team's threads and on new ones.
//
// LOOPS: 3
// THREADS: 1 2 3
#include "program.h"

int main(void) {
  long outer = 0, inner = 0, serialized = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel for schedule(static, 2) reduction(+ : outer, inner, serialized)
  for (int i = 0; i < 9; i++) {
    TELL(0, i, 9);
    outer++;
    long sum = 0;
#pragma omp parallel for schedule(static, 3) num_threads(2) reduction(+ : sum, serialized)
    for (int j = 0; j < 10; j++) {
      TELL(1, j, 10);
      sum++;
#pragma omp parallel for reduction(+ : serialized)
      for (int k = 0; k < 3; k++) {
        TELL(2, k, 3);
        serialized++;
      }
    }
    inner += sum;
  }
  printf("loop 0: %ld runs\nloop 1: %ld runs\nloop 2: %ld runs\n", outer, inner, serialized);
  return 0;
}
