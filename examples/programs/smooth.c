/* smooth - the mean of each point and its neighbours, again and again.
 *
 * The loop asks for single iterations, first come, first served: dealing one takes longer than what it does. That is so on
 * any machine, however busy. Try, without compiling again:
 *
 *   ompchunk tune ./smooth
 */
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 100000, NEIGHBOURS = 128 };

static double point[POINTS + NEIGHBOURS], smoothed[POINTS];

static void smooth(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < POINTS; i++) {
    double sum = 0;
    for (int j = 0; j < NEIGHBOURS; j++)
      sum += point[i + j];
    smoothed[i] = sum / NEIGHBOURS;
  }
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 20;
  for (int i = 0; i < POINTS + NEIGHBOURS; i++)
    point[i] = i % 100;

  for (int step = 0; step < steps; step++) {
    smooth();
    for (int i = 0; i < POINTS; i++)
      point[i] = smoothed[i];
  }

  double sum = 0;
  for (int i = 0; i < POINTS; i++)
    sum += point[i];
  printf("sum %.12g\n", sum);
  return 0;
}
