/* kmeans - new centres of clusters, from the lists of their members.
 *
 *   kmeans [REPETITIONS [POINTS]]
 *
 * Most points are near one of the first few centres, and half of the clusters are empty: a loop over the clusters.
 */
#include <stdint.h>
#include "program.h"

enum { CLUSTERS = 96, DIMENSIONS = 16 };

typedef struct {
  double at[DIMENSIONS];
} point;

static uint32_t state = 12345;

static double random_number(void) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) / (double)(1 << 24);
}

/* The members of each cluster stand one behind the other in `member`. */
static void centres_of(const point *points, const int *member, const int *first, point *centres, double *spread) {
#pragma omp parallel for schedule(static) /* ADVISE */
  for (int cluster = 0; cluster < CLUSTERS; cluster++) {
    int begin = first[cluster], end = first[cluster + 1];
    point sum = {{0}};
    for (int at = begin; at < end; at++)
      for (int d = 0; d < DIMENSIONS; d++)
        sum.at[d] += points[member[at]].at[d];
    for (int d = 0; d < DIMENSIONS && end > begin; d++)
      centres[cluster].at[d] = sum.at[d] / (end - begin);
    double squares = 0;
    for (int at = begin; at < end; at++)
      for (int d = 0; d < DIMENSIONS; d++) {
        double off = points[member[at]].at[d] - centres[cluster].at[d];
        squares += off * off;
      }
    spread[cluster] = squares;
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, count = 60000;
  read_arguments(argc, argv, &repetitions, &count, 1, 10000000,
                 "kmeans [REPETITIONS [POINTS]], at most 10000000 points");
  point *points = malloc(sizeof *points * count), centres[CLUSTERS] = {0};
  int *cluster_of = malloc(sizeof *cluster_of * count), *member = malloc(sizeof *member * count);
  int first[CLUSTERS + 1] = {0}, next[CLUSTERS];
  double spread[CLUSTERS], checksum = 0;
  if (!points || !cluster_of || !member)
    return 1;
  for (int at = 0; at < count; at++) {
    double skewed = random_number() * random_number() * random_number();
    cluster_of[at] = (int)(skewed * CLUSTERS / 2);
    for (int d = 0; d < DIMENSIONS; d++)
      points[at].at[d] = cluster_of[at] % 7 * d + random_number();
    first[cluster_of[at] + 1]++;
  }
  for (int cluster = 0; cluster < CLUSTERS; cluster++) {
    first[cluster + 1] += first[cluster];
    next[cluster] = first[cluster];
  }
  for (int at = 0; at < count; at++)
    member[next[cluster_of[at]]++] = at;

  for (int repetition = 0; repetition < repetitions; repetition++) {
    centres_of(points, member, first, centres, spread);
    for (int cluster = 0; cluster < CLUSTERS; cluster++)
      checksum += spread[cluster];
    points[repetition % count].at[0] += 0.5;
  }
  printf("%.17g\n", checksum);
  free(points);
  free(cluster_of);
  free(member);
  return 0;
}
