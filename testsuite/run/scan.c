// A scan runs the loop twice, once for each half of the body.
//
// LOOPS: 2
// FLAGS: -lm
#include "program.h"

int main(void) {
  enum { N = 37 };
  int in[N], out[N], sum = 0;
  for (int i = 0; i < N; i++) in[i] = i * 3 % 11;
#pragma omp parallel for schedule(static, 4) reduction(inscan, + : sum)
  for (int i = 0; i < N; i++) {
    STEP(0, i, N, i);
    sum += in[i];
#pragma omp scan inclusive(sum)
    STEP(1, i, N, i);
    out[i] = sum;
  }
  report(0);
  report(1);
  for (int i = 0; i < N; i++) printf("%d ", out[i]);
  printf("%d\n", sum);
  return 0;
}
