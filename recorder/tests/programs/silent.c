/* Loops of 100 chunks on three threads for a tenth of a second; then, for as many milliseconds as the argument says, the
 * first thread alone runs loops of one chunk; then the kernel ends it all. Prints how many chunks the team ran. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

int main(int argc, char **argv) {
  long ran = 0;
  double until = now() + 100;
  while (now() < until) {
#pragma omp parallel for schedule(static, 1) num_threads(3)
    for (int i = 0; i < 100; i++) __asm__ volatile("");
    ran += 100;
  }
  printf("%ld\n", ran);
  fflush(stdout);
  until = now() + (argc > 1 ? atof(argv[1]) : 0);
  while (now() < until) {
#pragma omp parallel for schedule(static) num_threads(1)
    for (int i = 0; i < 100; i++) __asm__ volatile("");
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  raise(SIGKILL);
}
