/* decided - a loop in regions of its own until a way to run it is decided, then many times in one region, where nothing is timed; or, with
 * APART, each time in a region, of which some are timed.
 *
 *   decided KIND EXECUTIONS [APART]
 *
 * KIND is even, triangle, or alternating. The clock of a thread's processor time is the program's own, so that what is decided depends on
 * nothing else: it goes on by what iterations cost. (Link with -rdynamic.)
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ITERATIONS = 64, REGIONS = 60 };

static long cost[ITERATIONS];

static _Thread_local long spent;

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (clock != CLOCK_THREAD_CPUTIME_ID)
    return (int)syscall(SYS_clock_gettime, clock, now);
  now->tv_sec = spent / 1000000000;
  now->tv_nsec = spent % 1000000000;
  return 0;
}

/* Of an iteration, in nanoseconds. */
static long cost_of(const char *kind, int region, int iteration) {
  if (!strcmp(kind, "triangle"))
    return 100 * iteration;
  if (!strcmp(kind, "alternating"))
    return (iteration < ITERATIONS / 2) == (region % 2 == 0) ? 3000 : 1000;
  return 3000;
}


int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    fprintf(stderr, "usage: decided KIND EXECUTIONS [APART]\n");
    return 2;
  }
  int many = atoi(argv[2]), apart = argc == 4;
  int regions = REGIONS + (apart ? many : 1);
  for (int region = 0; region < regions; region++) {
    int executions = region >= REGIONS && !apart ? many : 1;
    for (int i = 0; i < ITERATIONS; i++)
      cost[i] = cost_of(argv[1], region, i);
#pragma omp parallel
    for (int execution = 0; execution < executions; execution++) {
#pragma omp for schedule(static)
      for (int i = 0; i < ITERATIONS; i++)
        spent += cost[i];
    }
  }
  return 0;
}
