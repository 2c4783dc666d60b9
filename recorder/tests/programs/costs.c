/* A loop whose iterations cost what a table says: ramp, step, spike, noise, or two phases of executions.
 * Arguments: kind, iterations, executions. Prints the mean cost of each iteration, in dependent operations. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t sink[1 << 20];
static uint32_t costs[2][1 << 20];

/* Each operation waits for the one before, and no compiler has a formula for all of them. */
static uint64_t work(uint64_t x, uint32_t operations) {
  for (uint32_t k = 0; k < operations; k++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

static void loop(const uint32_t *cost, long n) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; i++) sink[i] = work((uint64_t)i + 1 + sink[i], cost[i]);
}

static uint32_t cost_of(const char *kind, int phase, long i, long n) {
  double at = (double)i / (double)n;
  if (strcmp(kind, "ramp") == 0) return (uint32_t)(40 + 400 * at);
  if (strcmp(kind, "step") == 0) return at < 0.5 ? 60 : 400;
  if (strcmp(kind, "spike") == 0) return at >= 0.70 && at < 0.72 ? 1000 : 100;
  if (strcmp(kind, "noise") == 0) return 60 + (uint32_t)(work((uint64_t)(at * 32) + 1, 9) >> 33) % 400;
  if (strcmp(kind, "phases") == 0) return phase ? (uint32_t)(60 + 400 * at) : at < 0.25 ? 60 : 300;
  fprintf(stderr, "%s: no kind\n", kind);
  exit(2);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  long n = atol(argv[2]), executions = atol(argv[3]);
  if (n > 1 << 20) return 2;
  for (int phase = 0; phase < 2; phase++)
    for (long i = 0; i < n; i++) costs[phase][i] = cost_of(argv[1], phase, i, n);
  for (long e = 0; e < executions; e++) loop(costs[e >= executions / 2], n);
  long second = executions - executions / 2;
  for (long i = 0; i < n; i++)
    printf("%.9g\n", ((double)costs[0][i] * (double)(executions - second) + (double)costs[1][i] * (double)second) /
                         (double)executions);
  uint64_t sum = 0;
  for (long i = 0; i < n; i++) sum = sum * 31 + sink[i];
  fprintf(stderr, "sum %016llx\n", (unsigned long long)sum);
  return 0;
}
