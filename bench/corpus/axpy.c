/* axpy - long vectors, a little work for each element.
 *
 *   axpy [REPETITIONS [ELEMENTS]]
 */
#include <math.h>
#include "program.h"

static void add(double factor, const double *x, double *y, int elements) {
#pragma omp parallel for /* ADVISE */
  for (int at = 0; at < elements; at++)
    y[at] = sqrt(y[at] * y[at] + factor * x[at]) / (1 + factor);
}

int main(int argc, char **argv) {
  int repetitions = 200, elements = 800000;
  read_arguments(argc, argv, &repetitions, &elements, 1, 100000000, "axpy [REPETITIONS [ELEMENTS]], at most 100000000");
  double *x = malloc(sizeof *x * elements), *y = malloc(sizeof *y * elements);
  if (!x || !y)
    return 1;
  for (int at = 0; at < elements; at++) {
    x[at] = 1 + at % 100;
    y[at] = 1 + at % 7;
  }
  for (int repetition = 0; repetition < repetitions; repetition++)
    add(0.5 + 0.001 * repetition, x, y, elements);
  double checksum = 0;
  for (int at = 0; at < elements; at++)
    checksum += y[at];
  printf("%.17g\n", checksum);
  free(x);
  free(y);
  return 0;
}
