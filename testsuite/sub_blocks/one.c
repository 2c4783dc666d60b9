// One loop, long enough to be cut.
#include <stdio.h>

int main(void) {
  static double cells[5000];
  double sum = 0;
  for (int round = 0; round < 3; round++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < 5000; i++) {
      cells[i] = cells[i] * 0.5 + i;
      sum += cells[i];
    }
  }
  printf("%d\n", sum > 0);
  return 0;
}
