/* A loop in which few iterations are as dear as all others, in time that the program makes itself: the clock of a thread's processor time
 * goes on by what its iterations cost, and by nothing else but being read. Says what the busiest thread takes in a late region. */
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ITERATIONS = 4000, REGIONS = 8, MOST_THREADS = 64 };

static _Thread_local long spent;

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (clock != CLOCK_THREAD_CPUTIME_ID) return (int)syscall(SYS_clock_gettime, clock, time);
  spent += 100;
  time->tv_sec = spent / 1000000000;
  time->tv_nsec = spent % 1000000000;
  return 0;
}

static int ran[ITERATIONS];
static long of_thread[MOST_THREADS];

static long cost(int iteration) { return iteration >= 2400 && iteration < 2440 ? 100000 : 1000; }

int omp_get_thread_num(void);

int main(void) {
  long wrong = 0, all = 0, busiest = 0, threads = 0;
  for (int region = 0; region < REGIONS; region++) {
    for (int thread = 0; thread < MOST_THREADS; thread++) of_thread[thread] = 0;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ITERATIONS; i++) {
      ran[i]++;
      spent += cost(i);
      of_thread[omp_get_thread_num()] += cost(i);
    }
    for (int i = 0; i < ITERATIONS; i++) {
      wrong += ran[i] != 1;
      ran[i] = 0;
    }
  }
  for (int thread = 0; thread < MOST_THREADS; thread++) {
    all += of_thread[thread];
    threads += of_thread[thread] > 0;
    busiest = of_thread[thread] > busiest ? of_thread[thread] : busiest;
  }
  printf("%d iterations, %ld wrong\n%ld %%\n", ITERATIONS, wrong, 100 * busiest * threads / all);
  return 0;
}
