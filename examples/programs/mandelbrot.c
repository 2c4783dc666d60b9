/* mandelbrot - rows cost very different amounts of work, so they are dealt one by one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   mandelbrot [WIDTH [LIMIT]]
 *
 * Prints a small picture, the share of points that never left the circle within LIMIT steps, and a
 * sum over all points that does not depend on the number of threads.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const double LEFT = -2.0, TOP = 1.2, SIDE = 2.8, HEIGHT_PER_WIDTH = 2.4 / 2.8;

static int steps_at(double x, double y, int limit) {
  double a = 0, b = 0;
  int n = 0;
  for (; n < limit && a * a + b * b <= 4; n++) {
    double next = a * a - b * b + x;
    b = 2 * a * b + y;
    a = next;
  }
  return n;
}

int main(int argc, char **argv) {
  int width = argc > 1 ? atoi(argv[1]) : 800, limit = argc > 2 ? atoi(argv[2]) : 500;
  int height = (int)(width * HEIGHT_PER_WIDTH);
  if (argc > 3 || height < 1 || width > 32768 || limit < 1) {
    fprintf(stderr, "usage: mandelbrot [WIDTH [LIMIT]]\n");
    return 2;
  }
  int *steps = malloc(sizeof *steps * width * height);
  uint64_t *row_sum = malloc(sizeof *row_sum * height);
  if (!steps || !row_sum) {
    fprintf(stderr, "mandelbrot: out of memory for %d x %d points\n", width, height);
    return 1;
  }

  /* Rows near the middle cost most: one row per chunk. */
#pragma omp parallel for schedule(static, 1)
  for (int row = 0; row < height; row++)
    for (int column = 0; column < width; column++)
      steps[row * width + column] =
          steps_at(LEFT + SIDE * column / width, TOP - SIDE * row / width, limit);

  /* Every row costs the same: one range per thread. */
#pragma omp parallel for schedule(static)
  for (int row = 0; row < height; row++) {
    row_sum[row] = 0;
    for (int column = 0; column < width; column++)
      row_sum[row] += (uint64_t)steps[row * width + column];
  }

  /* Both loops as one of width * height iterations. */
  long inside = 0;
#pragma omp parallel for collapse(2) schedule(static, 4096) reduction(+ : inside)
  for (int row = 0; row < height; row++)
    for (int column = 0; column < width; column++)
      inside += steps[row * width + column] == limit;

  uint64_t sum = 0;
  for (int row = 0; row < height; row++)
    sum += row_sum[row];
  for (int line = 0; line < 16; line++) {
    char text[49] = {0};
    for (int c = 0; c < 48; c++) {
      int n = steps[(int)((line + 0.5) * height / 16) * width + (int)((c + 0.5) * width / 48)];
      text[c] = n == limit ? '#' : n > 12 ? '+' : n > 6 ? '.' : ' ';
    }
    printf("%s\n", text);
  }
  printf("%d x %d points, %ld inside, %llu steps\n", width, height, inside,
         (unsigned long long)sum);
  free(row_sum);
  free(steps);
  return 0;
}
