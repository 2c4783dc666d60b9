// raytrace - a picture of some balls on a table, with mirrors and a shadow.
//
//   raytrace [REPETITIONS [ROWS]]
//
// The upper part of the picture is sky: its rays hit nothing.
#include <cmath>
#include <cstdio>
#include <vector>
#include "program.h"

struct vec {
  double x, y, z;
  vec operator+(vec b) const { return {x + b.x, y + b.y, z + b.z}; }
  vec operator-(vec b) const { return {x - b.x, y - b.y, z - b.z}; }
  vec operator*(double b) const { return {x * b, y * b, z * b}; }
};

static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec unit(vec a) { return a * (1 / std::sqrt(dot(a, a))); }

struct ball {
  vec centre;
  double radius, mirrors;
};

static std::vector<ball> balls;

// The nearest ball that a ray hits, and how far it is.
static const ball *hit(vec from, vec towards, double &distance) {
  const ball *nearest = nullptr;
  distance = 1e9;
  for (const ball &one : balls) {
    vec to = one.centre - from;
    double along = dot(to, towards), missed = dot(to, to) - along * along;
    if (along <= 0 || missed > one.radius * one.radius)
      continue;
    double at = along - std::sqrt(one.radius * one.radius - missed);
    if (at > 1e-6 && at < distance) {
      distance = at;
      nearest = &one;
    }
  }
  return nearest;
}

static double light_of(vec from, vec towards, int depth) {
  // Nothing is above the horizon but a little of the largest balls.
  if (towards.y > 0.12)
    return 0.5 + 0.5 * towards.y;
  double distance;
  const ball *one = hit(from, towards, distance);
  if (!one)
    return 0.5 + 0.5 * std::fabs(towards.y);
  vec at = from + towards * distance, normal = unit(at - one->centre), lamp = unit({1, 2, -1}), up = {0, 1e-3, 0};
  double ignored, lit = dot(normal, lamp);
  double light = 0.1 + (lit > 0 && !hit(at + up, lamp, ignored) ? lit : 0);
  if (depth == 0)
    return light;
  vec mirrored = towards - normal * (2 * dot(towards, normal));
  return light * (1 - one->mirrors) + one->mirrors * light_of(at, unit(mirrored), depth - 1);
}

static void draw(std::vector<double> &picture, int rows, int columns, vec eye) {
#pragma omp parallel for schedule(static) // ADVISE
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      vec towards = {(column - columns * 0.5) / columns, 0.6 - 1.0 * row / rows, 1};
      picture[row * columns + column] = light_of(eye, unit(towards), 3);
    }
}

int main(int argc, char **argv) {
  int repetitions = 200, rows = 128;
  read_arguments(argc, argv, &repetitions, &rows, 1, 2000, "raytrace [REPETITIONS [ROWS]], at most 2000 rows");
  for (int at = 0; at < 24; at++)
    balls.push_back({{at % 6 * 1.1 - 2.7, -1.2, 3.0 + at / 6 * 1.2}, 0.5, 0.1 + at % 3 * 0.3});
  int columns = 120;
  std::vector<double> picture(rows * columns);
  double checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    draw(picture, rows, columns, {0.001 * (repetition % 8), 0, 0});
    for (double light : picture)
      checksum += light;
  }
  std::printf("%.17g\n", checksum);
}
