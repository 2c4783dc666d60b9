/* covariance - the covariance matrix of some series, its upper half only.
 *
 *   covariance [REPETITIONS [SERIES]]
 *
 * A row of the upper half is the shorter the later it comes.
 */
#include <math.h>
#include "program.h"

enum { LENGTH = 200, MOST = 2000 };

static double series[MOST][LENGTH], mean[MOST], matrix[MOST][MOST];

static void covariance(int count) {
#pragma omp parallel for schedule(static) /* ADVISE */
  for (int i = 0; i < count; i++)
    for (int j = i; j < count; j++) {
      double sum = 0;
      for (int k = 0; k < LENGTH; k++)
        sum += (series[i][k] - mean[i]) * (series[j][k] - mean[j]);
      matrix[i][j] = matrix[j][i] = sum / (LENGTH - 1);
    }
}

int main(int argc, char **argv) {
  int repetitions = 200, count = 180;
  read_arguments(argc, argv, &repetitions, &count, 1, MOST, "covariance [REPETITIONS [SERIES]], at most %d series");
  for (int i = 0; i < count; i++) {
    double sum = 0;
    for (int k = 0; k < LENGTH; k++)
      sum += series[i][k] = sin(i + 0.01 * k * (i % 7 + 1));
    mean[i] = sum / LENGTH;
  }

  double checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    covariance(count);
    checksum += matrix[repetition % count][count - 1];
    series[repetition % count][0] += 0.125;
  }
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      checksum += matrix[i][j];
  printf("%.17g\n", checksum);
  return 0;
}
