// fault: none
/* mandelbrot - a task for each row of the picture: many, and some take a hundred times as long as others. mandelbrot [ROWS] */
#include "program.h"

enum { COLUMNS = 500, MOST = 1500 };

static uint64_t row_sum(int row, int rows) {
  uint64_t sum = 0;
  for (int column = 0; column < COLUMNS; column++) {
    double cx = -2.2 + 3.2 * column / COLUMNS, cy = -1.2 + 2.4 * row / rows, x = 0, y = 0;
    int step = 0;
    while (step < MOST && x * x + y * y < 4) {
      double next = x * x - y * y + cx;
      y = 2 * x * y + cy, x = next, step++;
    }
    sum += (uint64_t)step;
  }
  return sum;
}

int main(int argc, char **argv) {
  int rows = read_size(argc, argv, 1600, 1, 100000);
  uint64_t *sums = reserve((size_t)rows * sizeof *sums);
#pragma omp parallel
#pragma omp single
  for (int row = 0; row < rows; row++) {
#pragma omp task
    sums[row] = row_sum(row, rows);
  }
  uint64_t found = 0, expected = 0;
  for (int row = 0; row < rows; row += 20)
    found += sums[row], expected += row_sum(row, rows);
  free(sums);
  return verify(found, expected);
}
