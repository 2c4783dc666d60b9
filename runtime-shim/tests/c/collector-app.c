/* A program for a collector: regions of which it is known how long their threads wait. */
#include <omp.h>
#include <time.h>

static void nap(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

int main(void) {
  omp_set_max_active_levels(2);
  /* 1: three threads wait 50 ms, 2: two wait for a lock, one 50 and the other 100 ms. */
#pragma omp parallel num_threads(4)
  if (omp_get_thread_num() == 0) nap(50);
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    nap(50);
  }
  nap(50); /* no region, though workers sleep in its barrier */
  /* 3, in which two threads begin a region each, 4 and 5; one thread alone, 6. */
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    nap(20);
  }
#pragma omp parallel num_threads(1)
  nap(20);
  return 0;
}
