// push - moves charged particles through a magnetic and an electric field, as Boris has it.
//
//   push [REPETITIONS [PARTICLES]]
#include <cmath>
#include <cstdio>
#include <vector>
#include "program.h"

struct particles {
  std::vector<double> x, y, z, u, v, w;
};

static void move(particles &all, double step) {
  int count = static_cast<int>(all.x.size());
#pragma omp parallel for schedule(static) // ADVISE
  for (int at = 0; at < count; at++) {
    double x = all.x[at], y = all.y[at];
    double electric = 0.01 * std::sin(x), magnetic = 1 + 0.1 * std::cos(y);
    double u = all.u[at] + electric * step / 2, v = all.v[at], w = all.w[at];
    double t = magnetic * step / 2, s = 2 * t / (1 + t * t);
    double u_turned = u + v * t, v_turned = v - u * t;
    u += v_turned * s;
    v -= u_turned * s;
    u += electric * step / 2;
    all.u[at] = u;
    all.v[at] = v;
    all.x[at] = x + u * step;
    all.y[at] = y + v * step;
    all.z[at] += w * step;
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, count = 120000;
  read_arguments(argc, argv, &repetitions, &count, 1, 10000000, "push [REPETITIONS [PARTICLES]], at most 10000000");
  particles all;
  unsigned state = 21;
  for (auto *of : {&all.x, &all.y, &all.z, &all.u, &all.v, &all.w})
    for (int at = 0; at < count; at++) {
      state = state * 1664525u + 1013904223u;
      of->push_back((state >> 8) / double(1 << 24));
    }
  for (int repetition = 0; repetition < repetitions; repetition++)
    move(all, 0.01);
  double checksum = 0;
  for (const auto *of : {&all.x, &all.y, &all.z, &all.u, &all.v})
    for (double one : *of)
      checksum += one;
  std::printf("%.17g\n", checksum);
}
