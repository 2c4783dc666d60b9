/* Tiny regions: so many, on so many threads. After them, what the third argument says: `kill`, or nothing. Prints how
 * many chunks ran: one per thread and region. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double data[4096];

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  long regions = atol(argv[1]), chunks = 0;
  int threads = atoi(argv[2]);
  for (long r = 0; r < regions; r++) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int i = 0; i < 4096; i++) data[i] += i;
    chunks += threads;
  }
  printf("%ld\n", chunks);
  fflush(stdout);
  if (argc > 3 && !strcmp(argv[3], "kill")) raise(SIGKILL);
  return 0;
}
