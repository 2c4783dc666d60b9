/* montecarlo - the volume of a ball in six dimensions, from streams of random points, all of one length.
 *
 *   montecarlo [REPETITIONS [STREAMS]]
 */
#include <stdint.h>
#include "program.h"

enum { DIMENSIONS = 6, POINTS = 400, MOST = 1000000 };

static int inside[MOST];

static int points_inside(uint64_t state) {
  int count = 0;
  for (int point = 0; point < POINTS; point++) {
    double squared = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      double x = (double)(int32_t)(state >> 32) / 2147483648.0;
      squared += x * x;
    }
    count += squared < 1;
  }
  return count;
}

static void throw_all(int streams, uint64_t seed) {
#pragma omp parallel for schedule(static) /* ADVISE */
  for (int stream = 0; stream < streams; stream++)
    inside[stream] = points_inside((seed + (uint64_t)stream) * 0x9e3779b97f4a7c15u);
}

int main(int argc, char **argv) {
  int repetitions = 200, streams = 1000;
  read_arguments(argc, argv, &repetitions, &streams, 1, MOST, "montecarlo [REPETITIONS [STREAMS]], at most %d");
  long checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    throw_all(streams, (uint64_t)repetition * (uint64_t)streams);
    for (int stream = 0; stream < streams; stream++)
      checksum += (long)inside[stream] * (stream % 11 + 1);
  }
  printf("%ld\n", checksum);
  return 0;
}
