/* A linear search per iteration, as in the particle filter of Rodinia: the inner loop is a few instructions long, so that where it
 * lies in memory decides its speed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4000 };
static double sums[COUNT], wanted[COUNT];
static int found[COUNT];

int main(int argc, char **argv) {
  int chunk = argc > 1 ? atoi(argv[1]) : 16, repeats = argc > 2 ? atoi(argv[2]) : 40;
  for (int i = 0; i < COUNT; i++) {
    sums[i] = (i + 1.0) / COUNT;
    wanted[i] = ((i * 7919) % COUNT) / (double)COUNT;
  }
  for (int repeat = 0; repeat < repeats; repeat++) {
#pragma omp parallel for schedule(static, chunk)
    for (int i = 0; i < COUNT; i++) {
      int at = COUNT - 1;
      for (int x = 0; x < COUNT; x++)
        if (sums[x] >= wanted[i]) {
          at = x;
          break;
        }
      found[i] = at;
    }
  }
  long sum = 0;
  for (int i = 0; i < COUNT; i++) sum += found[i];
  printf("%ld\n", sum);
  return 0;
}
