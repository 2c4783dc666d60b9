/* covariance - the covariance matrix of some series, its upper half only, as one needs it.
 *
 * The loop says nothing of a schedule, so each thread gets as many rows as the others. But a row is the shorter the
 * later it comes: with two threads the first has three quarters of the work. Try, without compiling again:
 *
 *   ompchunk run --schedule 'covariance=dynamic,8' ./covariance
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <omp.h>

enum { SERIES = 800, LENGTH = 1000 };

static double series[SERIES][LENGTH], mean[SERIES], matrix[SERIES][SERIES];

static void covariance(void) {
#pragma omp parallel for
  for (int i = 0; i < SERIES; i++)
    for (int j = i; j < SERIES; j++) {
      double sum = 0;
      for (int k = 0; k < LENGTH; k++)
        sum += (series[i][k] - mean[i]) * (series[j][k] - mean[j]);
      matrix[i][j] = matrix[j][i] = sum / (LENGTH - 1);
    }
}

int main(int argc, char **argv) {
  int runs = argc > 1 ? atoi(argv[1]) : 5;
  for (int i = 0; i < SERIES; i++) {
    double sum = 0;
    for (int k = 0; k < LENGTH; k++)
      sum += series[i][k] = sin(i + 0.01 * k * (i % 7 + 1));
    mean[i] = sum / LENGTH;
  }

  double start = omp_get_wtime();
  for (int run = 0; run < runs; run++)
    covariance();
  double seconds = omp_get_wtime() - start;

  double trace = 0;
  for (int i = 0; i < SERIES; i++)
    trace += matrix[i][i];
  printf("%d threads, %.3f s, trace %.12g\n", omp_get_max_threads(), seconds, trace);
  return 0;
}
