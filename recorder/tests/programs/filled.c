/* filled: uses up its address space, which it has limited to what it has: before its loops, between them or behind them, as the first
   argument says. Loops that it has run before, and others, of all kinds. Prints how many chunks ran. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EACH = 50, TIMES = 40, MOST = 64 << 10 };
static long ran;
static double data[EACH];
static void *all[MOST];

static void run(int which) {
  switch (which) {
#define LOOP(number, how)                                                                          \
  case number:                                                                                     \
    _Pragma(how) for (int i = 0; i < EACH; i++) data[i] += i;                                      \
    break;
    LOOP(0, "omp parallel for schedule(static, 1) num_threads(3)")
    LOOP(1, "omp parallel for schedule(static, 1) num_threads(3)")
    LOOP(2, "omp parallel for schedule(static, 1) num_threads(3)")
    LOOP(3, "omp parallel for schedule(static, 1) num_threads(3)")
    LOOP(4, "omp parallel for schedule(static, 1) num_threads(3)")
    LOOP(5, "omp parallel for schedule(static, 1) num_threads(3)")
    LOOP(6, "omp parallel for schedule(static, 1) num_threads(2)")
    LOOP(7, "omp parallel for schedule(static, 1) num_threads(2)")
  }
  ran += EACH;
}

/* Its stack could not grow either. */
__attribute__((noinline)) static void use_stack(void) {
  volatile char stack[64 << 10];
  for (size_t at = 0; at < sizeof stack; at += 1024) stack[at] = 0;
}

static void fill(void) {
  use_stack();
  struct rlimit limit;
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld", &pages) != 1 || getrlimit(RLIMIT_AS, &limit)) exit(3);
  fclose(file);
  limit.rlim_cur = pages * sysconf(_SC_PAGESIZE);
  if (setrlimit(RLIMIT_AS, &limit)) exit(4);
  int next = 0;
  /* A runtime that is built for debugging needs a little with each loop, or it ends the program. */
  void *volatile little = malloc(48 << 10);
  for (size_t size = 1 << 20; size >= 16; size /= 2)
    while (next < MOST && (all[next] = malloc(size))) next++;
  if (next == MOST) exit(5);
  free(little);
}

int main(int argc, char **argv) {
  char text[32];
  if (argc < 2) return 2;
  run(0);
  if (!strcmp(argv[1], "before")) fill();
  for (int t = 0; t < TIMES; t++)
    for (int which = 0; which < 4; which++) run(which);
  if (!strcmp(argv[1], "between")) fill();
  for (int t = 0; t < TIMES; t++)
    for (int which = 0; which < 8; which++) run(which);
  if (!strcmp(argv[1], "behind")) fill();
  /* Without memory of its own. */
  int length = snprintf(text, sizeof text, "%ld\n", ran);
  return write(STDOUT_FILENO, text, length) == length ? 0 : 6;
}
