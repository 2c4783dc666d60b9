// Bodies with control flow of their own: inner loops, continue, switch, goto, an early exit of an
// inner loop, variable-length arrays.
//
// LOOPS: 5
#include "program.h"

static int digits(int i) {
  int count = 0;
  do count++;
  while (i /= 10);
  return count;
}

static void all(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      STEP(0, i, n, i);
      if (i % 3 == 0) continue;
      for (int j = 0; j < i; j++) {
        if (j > 5) break;
        value_of[0][i] += (uint64_t)digits(i * j);
      }
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      STEP(1, i, n, i);
      switch (i % 4) {
      case 0: value_of[1][i] += 10; break;
      case 1: value_of[1][i] += 20; /* fallthrough */
      case 2: value_of[1][i] += 30; break;
      default: value_of[1][i] *= 2;
      }
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      int left = i;
      STEP(2, i, n, i);
    again:
      if (left > 0) {
        left -= 4;
        value_of[2][i]++;
        goto again;
      }
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      int array[i + 1];
      array[i] = i * 5;
      STEP(3, i, n, array[i]);
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      STEP(4, i, n, i);
      if (i % 2) continue;
      value_of[4][i] += 3;
    }
  }
  for (int loop = 0; loop < 5; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 25; n += 12) all(n);
  return 0;
}
