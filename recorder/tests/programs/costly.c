/* Loops whose chunks take far less than recording them. Arguments: which, executions, threads. Prints a sum of what ran. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 8192

static double data[MOST], other[MOST], more[64][256];

static void often(int executions, int threads, int iterations) {
  for (int r = 0; r < executions; r++) {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int i = 0; i < iterations; i++) data[i] += i;
  }
}

/* One region, and threads that do not wait for each other. */
static void inside(int executions, int threads) {
#pragma omp parallel num_threads(threads)
  for (int r = 0; r < executions; r++) {
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < MOST; i++) data[i] += i;
#pragma omp for schedule(static, 2)
    for (int i = 0; i < MOST / 2; i++) other[i] += i * 0.5;
  }
}

/* Executions of very different length. */
static void uneven(int executions, int threads) {
  for (int r = 0; r < executions; r++) often(1, threads, r % 7 == 0 ? MOST : r % 5);
}

/* Teams of all sizes. */
static void teams(int executions, int threads) {
  for (int r = 0; r < executions; r++) often(1, 1 + r % threads, MOST);
}

/* Within chunks of another loop. */
static void nested(int executions, int threads) {
  for (int r = 0; r < executions; r++) {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int k = 0; k < 64; k++) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
      for (int i = 0; i < 256; i++) more[k][i] += i;
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int executions = atoi(argv[2]), threads = atoi(argv[3]), status = 0;
  if (!strcmp(argv[1], "often")) often(executions, threads, MOST);
  if (!strcmp(argv[1], "inside")) inside(executions, threads);
  if (!strcmp(argv[1], "uneven")) uneven(executions, threads);
  if (!strcmp(argv[1], "teams")) teams(executions, threads);
  if (!strcmp(argv[1], "nested")) nested(executions, threads);
  if (!strcmp(argv[1], "fork")) {
    often(executions, threads, MOST);
    pid_t child = fork();
    often(executions, threads, MOST);
    if (child == 0) exit(0);
    if (waitpid(child, &status, 0) != child) return 3;
  }
  double sum = 0;
  for (int i = 0; i < MOST; i++) sum += data[i] + other[i] + more[i / 256 % 64][i % 256];
  printf("%.17g\n", sum);
  return status != 0;
}
