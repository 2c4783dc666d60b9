// fault: one-creator small-tasks
/* particles - one thread makes a task for each particle in each step, and a particle moves in a few instructions.
   particles [PARTICLES] */
#include "program.h"

enum { STEPS = 30 };

struct particle {
  uint32_t place, speed;
};

static struct particle moved(struct particle from) {
  struct particle to = {from.place + from.speed, from.speed};
  if (to.place > UINT32_MAX / 2)
    to.speed = (uint32_t)-(int32_t)to.speed;
  return to;
}

int main(int argc, char **argv) {
  int particles = read_size(argc, argv, 40000, 1, 10000000);
  struct particle *all = reserve((size_t)particles * sizeof *all);
  for (int at = 0; at < particles; at++)
    all[at] = (struct particle){(uint32_t)at * 7919u, (uint32_t)at % 1000u};
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < STEPS; step++) {
#ifdef MENDED
#pragma omp taskloop grainsize(1000)
    for (int at = 0; at < particles; at++)
      all[at] = moved(all[at]);
#else
    for (int at = 0; at < particles; at++) {
#pragma omp task
      all[at] = moved(all[at]);
    }
#pragma omp taskwait
#endif
  }
  uint64_t found = 0, expected = 0;
  for (int at = 0; at < particles; at++) {
    struct particle alone = {(uint32_t)at * 7919u, (uint32_t)at % 1000u};
    for (int step = 0; step < STEPS; step++)
      alone = moved(alone);
    expected += alone.place, found += all[at].place;
  }
  free(all);
  return verify(found, expected);
}
