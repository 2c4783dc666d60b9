/* spmv - sparse matrix times vector, repeated: the power method on a graph.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   spmv [ROWS [STEPS]]
 *
 * A few rows are much longer than the rest, as in the link graphs of real networks, and they stand
 * at the beginning: the chunk size decides how the long ones are spread. The result is the same for
 * any number of threads, as no sum crosses a chunk.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct matrix {
  long rows, entries;
  long *first; /* of each row, in `column` and `value`; rows + 1 of them */
  int *column;
  double *value;
} matrix;

static uint64_t scramble(uint64_t x) {
  x = (x ^ x >> 31) * 0x7fb5d329728ea185;
  x = (x ^ x >> 27) * 0x81dadef4bc2dd44d;
  return x ^ x >> 33;
}

static long length_of(long row, long rows) {
  long length = 4 + rows / (row + 8);
  return length < rows ? length : rows;
}

/* A loop with a step, outside any parallel region of its own: the caller's team shares it. */
static void fill(matrix *m) {
#pragma omp for schedule(static, 64)
  for (long row = m->rows - 1; row >= 0; row--)
    for (long e = m->first[row]; e < m->first[row + 1]; e++) {
      uint64_t r = scramble((uint64_t)row * 0x9e3779b97f4a7c15 + (uint64_t)e);
      m->column[e] = (int)(r % (uint64_t)m->rows);
      m->value[e] = 1 + (double)(r >> 40) / (1 << 24);
    }
}

int main(int argc, char **argv) {
  matrix m = {.rows = argc > 1 ? atol(argv[1]) : 100000};
  int steps = argc > 2 ? atoi(argv[2]) : 40;
  if (argc > 3 || m.rows < 1 || m.rows > 100000000 || steps < 1) {
    fprintf(stderr, "usage: spmv [ROWS [STEPS]]\n");
    return 2;
  }
  m.first = malloc(sizeof *m.first * (m.rows + 1));
  if (m.first) {
    m.first[0] = 0;
    for (long row = 0; row < m.rows; row++)
      m.first[row + 1] = m.first[row] + length_of(row, m.rows);
    m.entries = m.first[m.rows];
    m.column = malloc(sizeof *m.column * m.entries);
    m.value = malloc(sizeof *m.value * m.entries);
  }
  double *x = malloc(sizeof *x * m.rows), *y = malloc(sizeof *y * m.rows), scale = 1;
  if (!m.first || !m.column || !m.value || !x || !y) {
    fprintf(stderr, "spmv: out of memory for %ld rows\n", m.rows);
    return 1;
  }

#pragma omp parallel
  {
    fill(&m);
#pragma omp for schedule(static)
    for (long row = 0; row < m.rows; row++)
      x[row] = 1;
  }

  for (int step = 0; step < steps; step++) {
    double largest = 0;
#pragma omp parallel for schedule(static, 128) reduction(max : largest)
    for (long row = 0; row < m.rows; row++) {
      double sum = 0;
      for (long e = m.first[row]; e < m.first[row + 1]; e++)
        sum += m.value[e] * x[m.column[e]];
      y[row] = sum;
      largest = fmax(largest, sum);
    }
    scale = largest;
#pragma omp parallel for schedule(static)
    for (long row = 0; row < m.rows; row++)
      x[row] = y[row] / scale;
  }

  printf("%ld rows, %ld entries, %d steps\n", m.rows, m.entries, steps);
  printf("largest growth per step %.9f, last element %.9f\n", scale, x[m.rows - 1]);
  free(y);
  free(x);
  free(m.value);
  free(m.column);
  free(m.first);
  return 0;
}
