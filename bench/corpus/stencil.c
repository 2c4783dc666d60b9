/* stencil - heat on a plate, step by step: each point becomes the mean of its neighbours.
 *
 *   stencil [REPETITIONS [SIDE]]
 */
#include "program.h"

static void step(const double *from, double *to, int side) {
#pragma omp parallel for schedule(static) /* ADVISE */
  for (int row = 1; row < side - 1; row++)
    for (int column = 1; column < side - 1; column++) {
      const double *at = from + (long)row * side + column;
      to[(long)row * side + column] = 0.2 * (at[0] + at[-1] + at[1] + at[-side] + at[side]);
    }
}

int main(int argc, char **argv) {
  int repetitions = 200, side = 1000;
  read_arguments(argc, argv, &repetitions, &side, 3, 20000, "stencil [REPETITIONS [SIDE]], 3 to 20000");
  double *now = calloc((size_t)side * side, sizeof *now), *next = calloc((size_t)side * side, sizeof *next);
  if (!now || !next)
    return 1;
  for (int at = 0; at < side; at++)
    now[at] = next[at] = now[(long)at * side] = next[(long)at * side] = 100;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    step(now, next, side);
    double *other = now;
    now = next;
    next = other;
  }
  double checksum = 0;
  for (long at = 0; at < (long)side * side; at++)
    checksum += now[at];
  printf("%.17g\n", checksum);
  free(now);
  free(next);
  return 0;
}
