// fault: small-tasks
/* spmv_rows - a sparse matrix times a vector, again and again, with a task for each row, of five values. spmv_rows [ROWS] */
#include "program.h"

enum { EACH = 5, TIMES = 30 };

static uint64_t dot(const uint32_t *columns, const uint64_t *vector) {
  uint64_t sum = 0;
  for (int at = 0; at < EACH; at++)
    sum += vector[columns[at]] * (uint64_t)(at + 1);
  return sum;
}

int main(int argc, char **argv) {
  int rows = read_size(argc, argv, 50000, 1, 10000000);
  uint32_t *columns = reserve((size_t)rows * EACH * sizeof *columns);
  uint64_t *vector = reserve((size_t)rows * sizeof *vector), *product = reserve((size_t)rows * sizeof *product);
  for (long at = 0; at < (long)rows * EACH; at++)
    columns[at] = (uint32_t)(scramble((uint64_t)at + 1, 3) % (uint64_t)rows);
  for (int row = 0; row < rows; row++)
    vector[row] = (uint64_t)row;
#pragma omp parallel
  for (int time = 0; time < TIMES; time++) {
#ifdef MENDED
#pragma omp single
#pragma omp taskloop grainsize(1000)
    for (int row = 0; row < rows; row++)
      product[row] = dot(columns + (long)row * EACH, vector);
#else
#pragma omp for
    for (int row = 0; row < rows; row++) {
#pragma omp task
      product[row] = dot(columns + (long)row * EACH, vector);
    }
#endif
#pragma omp single
    vector[0] += product[0] % 2;
  }
  uint64_t found = 0, expected = 0, last = vector[0] - product[0] % 2;
  for (int row = 0; row < rows; row++)
    found += product[row];
  vector[0] = last;
  for (int row = 0; row < rows; row++)
    expected += dot(columns + (long)row * EACH, vector);
  free(columns), free(vector), free(product);
  return verify(found, expected);
}
