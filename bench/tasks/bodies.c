// fault: none
/* bodies - forces among bodies in the plane, by a taskloop with a grainsize, in several steps. bodies [BODIES] */
#include <math.h>
#include "program.h"

enum { STEPS = 12, GRAIN = 32 };

struct body {
  double x, y, vx, vy;
};

static struct body pulled(const struct body *all, int bodies, int at) {
  struct body body = all[at];
  double fx = 0, fy = 0;
  for (int by = 0; by < bodies; by++) {
    double dx = all[by].x - body.x, dy = all[by].y - body.y, squared = dx * dx + dy * dy + 1e-3;
    double pull = 1 / (squared * sqrt(squared));
    fx += dx * pull, fy += dy * pull;
  }
  body.vx += fx * 1e-6, body.vy += fy * 1e-6;
  body.x += body.vx, body.y += body.vy;
  return body;
}

int main(int argc, char **argv) {
  int bodies = read_size(argc, argv, 4000, 1, 100000);
  struct body *from = reserve((size_t)bodies * sizeof *from), *to = reserve((size_t)bodies * sizeof *to);
  for (int at = 0; at < bodies; at++)
    from[at] = (struct body){(double)(scramble((uint64_t)at + 1, 5) % 10000) / 100, (double)(at * 7919L % 10000) / 100, 0, 0};
  for (int step = 0; step < STEPS; step++) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(GRAIN)
    for (int at = 0; at < bodies; at++)
      to[at] = pulled(from, bodies, at);
    struct body *last = from;
    from = to, to = last;
  }
  /* The last step of some, without tasks. */
  uint64_t found = 0, expected = 0;
  for (int at = 0; at < bodies; at += 20) {
    struct body same = pulled(to, bodies, at);
    found += (uint64_t)(int64_t)(from[at].x * 1e6), expected += (uint64_t)(int64_t)(same.x * 1e6);
  }
  free(from), free(to);
  return verify(found, expected);
}
