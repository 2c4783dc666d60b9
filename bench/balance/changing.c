/* changing - loops whose iterations' costs are known, and change from execution to execution.
 *
 *   changing KIND MICROSECONDS EXECUTIONS
 *
 * even       all iterations cost the same
 * triangle   later iterations cost more
 * growing    a triangle whose steepness grows
 * front      an expensive part moves slowly through the loop
 * refined    expensive parts come and go, each for some executions (as in adaptive mesh refinement)
 * random     other iterations are expensive each time
 * alternating  the expensive half changes sides each time
 *
 * MICROSECONDS is what one execution's iterations take together, about. With EACH=1 in the environment, the time of each execution is said,
 * too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITERATIONS = 1000 };

static double weight[ITERATIONS], result[ITERATIONS];

static double mixed(unsigned long number) {
  number *= 0x9e3779b97f4a7c15ul;
  number = (number ^ number >> 29) * 0xbf58476d1ce4e5b9ul;
  return (double)(number >> 11) / (double)(1ul << 53);
}

static double cost(const char *kind, int execution, int executions, int iteration) {
  double place = (double)iteration / ITERATIONS, when = (double)execution / executions;
  if (!strcmp(kind, "even"))
    return 1;
  if (!strcmp(kind, "triangle"))
    return 2 * place;
  if (!strcmp(kind, "growing"))
    return 1 + when * (2 * place - 1);
  if (!strcmp(kind, "front"))
    return place > when * 0.9 && place < when * 0.9 + 0.1 ? 6 : 0.5;
  if (!strcmp(kind, "refined"))
    return mixed(execution / 50 * 16 + (unsigned long)(place * 16)) < 0.2 ? 4 : 0.4;
  if (!strcmp(kind, "random"))
    return mixed((unsigned long)execution * 64 + (unsigned long)(place * 64)) < 0.2 ? 4 : 0.4;
  if (!strcmp(kind, "alternating"))
    return (place < 0.5) == (execution % 2 == 0) ? 1.6 : 0.4;
  fprintf(stderr, "changing: %s is no kind\n", kind);
  exit(2);
}

static double work(long operations) {
  double value = 1;
  for (long operation = 0; operation < operations; operation++)
    value = value * 0.999 + 0.5;
  return value;
}

static void run(double scale) {
#pragma omp parallel for schedule(static) /* ADVISE */
  for (int i = 0; i < ITERATIONS; i++)
    result[i] += work((long)(weight[i] * scale));
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: changing KIND MICROSECONDS EXECUTIONS\n");
    return 2;
  }
  double microseconds = atof(argv[2]), scale, in_loop = 0;
  int executions = atoi(argv[3]), each = getenv("EACH") != NULL;
  /* Two dependent operations take about 2 ns. */
  scale = microseconds * 1000 / 2.2 / ITERATIONS;
  for (int execution = 0; execution < executions; execution++) {
    for (int i = 0; i < ITERATIONS; i++)
      weight[i] = cost(argv[1], execution, executions, i);
    double begin = seconds();
    run(scale);
    double taken = seconds() - begin;
    in_loop += taken;
    if (each)
      fprintf(stderr, "execution %d: %.9f\n", execution, taken);
  }
  double checksum = 0;
  for (int i = 0; i < ITERATIONS; i++)
    checksum += result[i];
  printf("%.17g\n", checksum);
  fprintf(stderr, "seconds in the loop: %.6f\n", in_loop);
  return 0;
}
