// What one unchunked loop takes, execution by execution: for scripts/bench-profile.py. repeated OPERATIONS ITERATIONS EXECUTIONS
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  if (count != 4)
    return 2;
  long operations = atol(arguments[1]), iterations = atol(arguments[2]), executions = atol(arguments[3]);
  unsigned long *results = calloc(iterations, sizeof *results);
  double *seconds = calloc(executions, sizeof *seconds);
  if (!results || !seconds)
    return 2;
  for (long execution = 0; execution < executions; execution++) {
    double start = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (long i = 0; i < iterations; i++) {
      // Each operation needs the one before it.
      unsigned long x = i + 1;
      for (long k = 0; k < operations; k++)
        x = x * 6364136223846793005UL + 1442695040888963407UL;
      results[i] += x;
    }
    seconds[execution] = omp_get_wtime() - start;
  }
  unsigned long sum = 0;
  for (long i = 0; i < iterations; i++)
    sum ^= results[i];
  printf("%lu", sum);
  for (long execution = 0; execution < executions; execution++)
    printf(" %.9f", seconds[execution]);
  printf("\n");
  return 0;
}
