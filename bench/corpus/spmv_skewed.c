/* spmv_skewed - a sparse matrix times a vector, again and again, as ranking the pages of a web does.
 *
 *   spmv_skewed [REPETITIONS [ROWS]]
 *
 * Lengths of rows follow a power law, and the long ones come first: a few rows hold most entries.
 */
#include <stdint.h>
#include "program.h"

static uint64_t scrambled(uint64_t x) {
  x ^= x >> 29;
  x *= 0x9e3779b97f4a7c15;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  return x ^ x >> 28;
}

static void multiply(long rows, const long *first, const int *column, const double *value, const double *x,
                     double *y) {
#pragma omp parallel for /* ADVISE */
  for (long row = 0; row < rows; row++) {
    double sum = 0;
    for (long entry = first[row]; entry < first[row + 1]; entry++)
      sum += value[entry] * x[column[entry]];
    y[row] = sum;
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, given = 20000;
  read_arguments(argc, argv, &repetitions, &given, 1, 10000000,
                 "spmv_skewed [REPETITIONS [ROWS]], at most 10000000 rows");
  long rows = given;
  long *first = malloc(sizeof *first * (rows + 1));
  if (!first)
    return 1;
  first[0] = 0;
  for (long row = 0; row < rows; row++)
    first[row + 1] = first[row] + 8 + 8 * rows / (row + 20);
  long entries = first[rows];
  int *column = malloc(sizeof *column * entries);
  double *value = malloc(sizeof *value * entries);
  double *x = malloc(sizeof *x * rows), *y = malloc(sizeof *y * rows);
  if (!column || !value || !x || !y)
    return 1;
  for (long entry = 0; entry < entries; entry++) {
    uint64_t random = scrambled((uint64_t)entry);
    column[entry] = (int)(random % (uint64_t)rows);
    value[entry] = 1 + (double)(random >> 44) / (1 << 20);
  }
  for (long row = 0; row < rows; row++)
    x[row] = 1;

  for (int repetition = 0; repetition < repetitions; repetition++) {
    multiply(rows, first, column, value, x, y);
    double largest = 0;
    for (long row = 0; row < rows; row++)
      largest = y[row] > largest ? y[row] : largest;
    for (long row = 0; row < rows; row++)
      x[row] = y[row] / largest;
  }
  double checksum = 0;
  for (long row = 0; row < rows; row++)
    checksum += x[row];
  printf("%.17g\n", checksum);
  free(first);
  free(column);
  free(value);
  free(x);
  free(y);
  return 0;
}
