// fault: few-tasks
/* grainsize - a picture is blurred again and again by a taskloop, with a grainsize that was right for a larger picture.
   grainsize [ROWS] */
#include <string.h>
#include "program.h"

enum { WIDTH = 1024, TIMES = 50, LARGEST = 2000 };
#ifdef MENDED
enum { GRAIN = 40 };
#else
enum { GRAIN = LARGEST };
#endif

static void blur_row(const uint16_t *from, uint16_t *to, int row, int rows) {
  for (int column = 0; column < WIDTH; column++) {
    unsigned sum = 0, count = 0;
    for (int y = row - 2; y <= row + 2; y++)
      for (int x = column - 2; x <= column + 2; x++)
        if (y >= 0 && y < rows && x >= 0 && x < WIDTH)
          sum += from[y * WIDTH + x], count++;
    to[row * WIDTH + column] = (uint16_t)(sum / count);
  }
}

static void blur(const uint16_t *from, uint16_t *to, int rows) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(GRAIN)
  for (int row = 0; row < rows; row++)
    blur_row(from, to, row, rows);
}

int main(int argc, char **argv) {
  int rows = read_size(argc, argv, 600, 5, LARGEST - 1);
  size_t bytes = (size_t)rows * WIDTH * sizeof(uint16_t);
  uint16_t *from = reserve(bytes), *to = reserve(bytes), *check = reserve(WIDTH * sizeof *check * (size_t)rows);
  for (int at = 0; at < rows * WIDTH; at++)
    from[at] = (uint16_t)(scramble((uint64_t)at + 1, 2) >> 48);
  for (int time = 0; time < TIMES; time++) {
    blur(from, to, rows);
    uint16_t *last = from;
    from = to, to = last;
  }
  /* The last time, without tasks. */
  uint64_t found = 0, expected = 0;
  for (int row = 0; row < rows; row++)
    blur_row(to, check, row, rows);
  for (int at = 0; at < rows * WIDTH; at++)
    found = found * 31 + from[at], expected = expected * 31 + check[at];
  free(from), free(to), free(check);
  return verify(found, expected);
}
