// nbody_clustered - forces between particles that are nearer than a cutoff, found through cells.
//
//   nbody_clustered [REPETITIONS [PARTICLES]]
//
// Half of the particles are in a small cluster, and particles are sorted by cell: the cluster's have many neighbours.
#include <cmath>
#include <cstdio>
#include <vector>
#include "program.h"

constexpr int side = 16; // Cells in each of two directions.

struct particle {
  double x, y, force_x, force_y;
};

static int cell_of(double x) {
  int cell = static_cast<int>(x * side);
  return cell < 0 ? 0 : cell >= side ? side - 1 : cell;
}

static void forces(std::vector<particle> &all, const std::vector<int> &first) {
  const double cutoff = 1.0 / side;
  int count = static_cast<int>(all.size());
#pragma omp parallel for schedule(static) // ADVISE
  for (int i = 0; i < count; i++) {
    double x = all[i].x, y = all[i].y, force_x = 0, force_y = 0;
    int row = cell_of(y), column = cell_of(x);
    for (int r = row > 0 ? row - 1 : 0; r <= row + 1 && r < side; r++)
      for (int c = column > 0 ? column - 1 : 0; c <= column + 1 && c < side; c++)
        for (int j = first[r * side + c]; j < first[r * side + c + 1]; j++) {
          double dx = all[j].x - x, dy = all[j].y - y;
          double squared = dx * dx + dy * dy;
          if (squared >= cutoff * cutoff || j == i)
            continue;
          double inverse = 1 / (squared + 1e-6);
          force_x += dx * inverse * std::sqrt(inverse);
          force_y += dy * inverse * std::sqrt(inverse);
        }
    all[i].force_x = force_x;
    all[i].force_y = force_y;
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, count = 2400;
  read_arguments(argc, argv, &repetitions, &count, 1, 1000000,
                 "nbody_clustered [REPETITIONS [PARTICLES]], at most 1000000 particles");
  std::vector<particle> drawn(count), all;
  unsigned state = 5;
  auto random = [&state] {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / double(1 << 24);
  };
  for (int i = 0; i < count; i++) {
    double within = i % 2 ? 1.0 : 0.15, x = random() * within, y = random() * within;
    drawn[i] = {x, y, 0, 0};
  }
  std::vector<int> first(side * side + 1);
  for (int cell = 0; cell < side * side; cell++) {
    for (const particle &one : drawn)
      if (cell_of(one.y) * side + cell_of(one.x) == cell)
        all.push_back(one);
    first[cell + 1] = static_cast<int>(all.size());
  }
  double checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    forces(all, first);
    for (const particle &one : all)
      checksum += std::fabs(one.force_x) + std::fabs(one.force_y);
  }
  std::printf("%.17g\n", checksum);
}
