/* stencil - heat spreading through a plate, step by step until it hardly changes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   stencil [SIDE [STEPS]]
 *
 * One parallel region around all steps, several loops in it, some without a barrier at their end.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 16 };

int main(int argc, char **argv) {
  int side = argc > 1 ? atoi(argv[1]) : 600, steps = argc > 2 ? atoi(argv[2]) : 200;
  if (argc > 3 || side < 3 || side > 20000 || steps < 1) {
    fprintf(stderr, "usage: stencil [SIDE [STEPS]]\n");
    return 2;
  }
  double *now = calloc((size_t)side * side, sizeof *now);
  double *next = calloc((size_t)side * side, sizeof *next);
  if (!now || !next) {
    fprintf(stderr, "stencil: out of memory for %d x %d points\n", side, side);
    return 1;
  }
  double change = 0;
  int done = 0;

#pragma omp parallel
  {
    /* The upper edge is hot, the left edge warmer towards the top. */
#pragma omp for schedule(static, 32) nowait
    for (int i = 0; i < side; i++)
      now[i] = next[i] = 100;
#pragma omp for schedule(static) nowait
    for (int i = 1; i < side; i++)
      now[(size_t)i * side] = next[(size_t)i * side] = 100.0 * (side - i) / side;
#pragma omp barrier

    for (int step = 0; step < steps; step++) {
#pragma omp barrier
#pragma omp single
      change = 0;
#pragma omp for schedule(static, BLOCK) reduction(max : change)
      for (int i = 1; i < side - 1; i++)
        for (int j = 1; j < side - 1; j++) {
          size_t at = (size_t)i * side + j;
          next[at] = 0.25 * (now[at - side] + now[at + side] + now[at - 1] + now[at + 1]);
          change = fmax(change, fabs(next[at] - now[at]));
        }
#pragma omp single
      {
        double *swap = now;
        now = next;
        next = swap;
        done = step + 1;
      }
      if (change < 1e-3)
        break;
    }
  }

  /* A coarse look, counted in whole degrees so that the sum is exact in any order. */
  long degrees = 0;
#pragma omp parallel for schedule(static, 4) reduction(+ : degrees)
  for (int i = 0; i < side; i += 10)
    for (int j = 0; j < side; j += 10)
      degrees += lround(now[(size_t)i * side + j]);

  printf("%d x %d points, %d steps, last change %.6f, %ld degrees\n", side, side, done, change,
         degrees);
  free(next);
  free(now);
  return 0;
}
