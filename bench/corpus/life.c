/* life - Conway's game of life on a torus.
 *
 *   life [REPETITIONS [SIDE]]
 *
 * A cell that lives takes as long as one that does not.
 */
#include <stdint.h>
#include "program.h"

static void generation(const uint8_t *from, uint8_t *to, int side) {
#pragma omp parallel for /* ADVISE */
  for (int row = 0; row < side; row++) {
    const uint8_t *here = from + (long)row * side;
    const uint8_t *above = from + (long)((row + side - 1) % side) * side;
    const uint8_t *below = from + (long)((row + 1) % side) * side;
    for (int column = 0; column < side; column++) {
      int left = column ? column - 1 : side - 1, right = column + 1 < side ? column + 1 : 0;
      int living = above[left] + above[column] + above[right] + here[left] + here[right] + below[left] +
                   below[column] + below[right];
      to[(long)row * side + column] = living == 3 || (living == 2 && here[column]);
    }
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, side = 900;
  read_arguments(argc, argv, &repetitions, &side, 3, 20000, "life [REPETITIONS [SIDE]], 3 to 20000");
  uint8_t *now = malloc((size_t)side * side), *next = malloc((size_t)side * side);
  if (!now || !next)
    return 1;
  uint32_t state = 11;
  for (long at = 0; at < (long)side * side; at++) {
    state = state * 1664525u + 1013904223u;
    now[at] = state >> 30 == 0;
  }
  for (int repetition = 0; repetition < repetitions; repetition++) {
    generation(now, next, side);
    uint8_t *other = now;
    now = next;
    next = other;
  }
  long checksum = 0;
  for (long at = 0; at < (long)side * side; at++)
    checksum += now[at] * (at % 23 + 1);
  printf("%ld\n", checksum);
  free(now);
  free(next);
  return 0;
}
