/* mandelbrot - how fast points of the plane leave, for a picture whose lower part is in the set.
 *
 *   mandelbrot [REPETITIONS [ROWS]]
 *
 * A point of the set takes all steps, one far from it two or three: rows at the top cost little.
 */
#include "program.h"

enum { COLUMNS = 160, STEPS = 150, MOST = 4000 };

static int left_after[MOST][COLUMNS];

static int steps_of(double x, double y) {
  double a = 0, b = 0;
  int step = 0;
  while (step < STEPS && a * a + b * b <= 4) {
    double next = a * a - b * b + x;
    b = 2 * a * b + y;
    a = next;
    step++;
  }
  return step;
}

static void draw(int rows, double shift) {
#pragma omp parallel for schedule(static) /* ADVISE */
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < COLUMNS; column++) {
      double x = -2.0 + 2.6 * column / COLUMNS + shift;
      double y = -1.6 + 1.8 * row / rows;
      left_after[row][column] = steps_of(x, y);
    }
}

int main(int argc, char **argv) {
  int repetitions = 200, rows = 128;
  read_arguments(argc, argv, &repetitions, &rows, 1, MOST, "mandelbrot [REPETITIONS [ROWS]], at most %d rows");
  long checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    draw(rows, 0.0001 * (repetition % 16));
    for (int row = 0; row < rows; row++)
      for (int column = 0; column < COLUMNS; column++)
        checksum += (long)left_after[row][column] * (row + column + 1);
  }
  printf("%ld\n", checksum);
  return 0;
}
