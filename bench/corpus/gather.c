/* gather - values of a large table, picked in random order, as the ghosts of an unstructured mesh are.
 *
 *   gather [REPETITIONS [PICKED]]
 *
 * The time of a pick is the memory's, and on the average the same everywhere.
 */
#include <stdint.h>
#include "program.h"

enum { TABLE = 1 << 22, EACH = 4 };

static void pick(const float *table, const uint32_t *from, float *to, int picked) {
#pragma omp parallel for schedule(static) /* ADVISE */
  for (int at = 0; at < picked; at++) {
    float sum = 0;
    for (int k = 0; k < EACH; k++)
      sum += table[from[(long)at * EACH + k]];
    to[at] = sum;
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, picked = 200000;
  read_arguments(argc, argv, &repetitions, &picked, 1, 10000000, "gather [REPETITIONS [PICKED]], at most 10000000");
  float *table = malloc(sizeof *table * TABLE), *to = malloc(sizeof *to * picked);
  uint32_t *from = malloc(sizeof *from * picked * EACH);
  if (!table || !to || !from)
    return 1;
  for (int at = 0; at < TABLE; at++)
    table[at] = (float)(at % 1013);
  uint32_t state = 17;
  for (long at = 0; at < (long)picked * EACH; at++) {
    state = state * 1664525u + 1013904223u;
    from[at] = state >> 10;
  }
  double checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    pick(table, from, to, picked);
    checksum += to[(long)repetition * 7919 % picked];
    table[repetition % TABLE] += 1;
  }
  for (int at = 0; at < picked; at++)
    checksum += to[at];
  printf("%.17g\n", checksum);
  free(table);
  free(to);
  free(from);
  return 0;
}
