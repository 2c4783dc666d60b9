/* decided - a loop in regions of its own until a way to run it is decided, then many times in one region, where nothing is timed; or, with
 * APART, each time in a region, of which some are timed.
 *
 *   decided KIND EXECUTIONS [APART]
 *
 * KIND is even, or triangle; the executions of the last region do no work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 64, REGIONS = 60 };

static double result[ITERATIONS];

static double work(int operations) {
  double value = 1;
  for (int operation = 0; operation < operations; operation++)
    value = value * 0.999 + 0.5;
  return value;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    fprintf(stderr, "usage: decided KIND EXECUTIONS [APART]\n");
    return 2;
  }
  int is_triangle = !strcmp(argv[1], "triangle");
  int many = atoi(argv[2]), apart = argc == 4;
  int regions = REGIONS + (apart ? many : 1);
  for (int region = 0; region < regions; region++) {
    int is_last = region >= REGIONS;
    int executions = is_last && !apart ? many : 1;
#pragma omp parallel
    for (int execution = 0; execution < executions; execution++) {
#pragma omp for schedule(static)
      for (int i = 0; i < ITERATIONS; i++)
        result[i] += is_last ? 0 : work(is_triangle ? 20 * i : 600);
    }
  }
  printf("%g\n", result[5]);
  return 0;
}
