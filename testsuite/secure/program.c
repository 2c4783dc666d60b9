// Says whether it takes orders, and runs a loop.
//
// LOOPS: 1
#include <stdio.h>
#include <sys/auxv.h>

int main(void) {
  int sum = 0;
#pragma omp parallel for schedule(static, 3) num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 25; i++) sum += i;
  printf("secure=%lu sum=%d\n", getauxval(AT_SECURE), sum);
  return 0;
}
