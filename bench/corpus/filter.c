/* filter - blurs a picture: each pixel becomes a weighted mean of 25, in whole numbers.
 *
 *   filter [REPETITIONS [SIDE]]
 */
#include <stdint.h>
#include "program.h"

static const int weight[5] = {1, 4, 6, 4, 1};

static void blur(const uint8_t *from, uint8_t *to, int side) {
#pragma omp parallel for schedule(static) /* ADVISE */
  for (int row = 2; row < side - 2; row++)
    for (int column = 2; column < side - 2; column++) {
      int sum = 0;
      for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++)
          sum += weight[y + 2] * weight[x + 2] * from[(long)(row + y) * side + column + x];
      to[(long)row * side + column] = (uint8_t)(sum / 256);
    }
}

int main(int argc, char **argv) {
  int repetitions = 200, side = 700;
  read_arguments(argc, argv, &repetitions, &side, 5, 20000, "filter [REPETITIONS [SIDE]], 5 to 20000");
  uint8_t *now = malloc((size_t)side * side), *next = calloc((size_t)side * side, 1);
  if (!now || !next)
    return 1;
  for (long at = 0; at < (long)side * side; at++)
    now[at] = (uint8_t)(at * 37 % 251);
  for (int repetition = 0; repetition < repetitions; repetition++) {
    blur(now, next, side);
    uint8_t *other = now;
    now = next;
    next = other;
  }
  long checksum = 0;
  for (long at = 0; at < (long)side * side; at++)
    checksum += now[at] * (at % 19 + 1);
  printf("%ld\n", checksum);
  free(now);
  free(next);
  return 0;
}
