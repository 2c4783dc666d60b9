//--- costs.c
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
//--- costly.c
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
//--- counted.c
/* Runs loops until it is killed, or as often as the second argument says. Each thread counts the iterations that it
 * runs in the file that the first argument names, which outlives the program. */
#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 4096, APART = 8 };

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  size_t size = MOST * APART * sizeof(long);
  if (file < 0 || ftruncate(file, size)) return 3;
  long *counts = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counts == MAP_FAILED) return 4;
  long most = atol(argv[2]);
  int threads = argc > 3 ? atoi(argv[3]) : 3;
  for (long r = 0; r < most; r++)
#pragma omp parallel num_threads(threads)
  {
    volatile long *mine = counts + omp_get_thread_num() * APART;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 1000; i++) *mine += 1;
  }
  return 0;
}
//--- filled.c
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
//--- floats.c
/* Integers alone: no flag of fractions is raised by the program. Prints which are, and then runs with a trap on one that is raised by
 * nearly all that is rounded. */
#define _GNU_SOURCE
#include <fenv.h>
#include <stdio.h>

static volatile long cells[4096];

static void region(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 4096; i++)
      for (int j = 0; j < i / 64; j++) cells[i] += j;
#pragma omp for schedule(static, 64)
    for (int i = 0; i < 4096; i++) cells[i]++;
#pragma omp single
    for (int k = 0; k < 8; k++) {
#pragma omp task
      cells[k]++;
    }
  }
}

int main(void) {
  int flags = 0;
  region();
  for (int k = 0; k < 500; k++) {
    feclearexcept(FE_ALL_EXCEPT);
    region();
    flags |= fetestexcept(FE_ALL_EXCEPT);
  }
  printf("flags %#x\n", flags);
  fflush(stdout);
  feclearexcept(FE_ALL_EXCEPT);
#ifdef __x86_64__
  feenableexcept(FE_INEXACT);
#endif
  for (int k = 0; k < 500; k++) region();
  puts("trap ok");
  return 0;
}
//--- forest.c
/* forest N [untied]: explicit tasks that wait for those that they create, as deep as N, tied or untied, and a taskgroup with tasks of a
   loop. Prints how many tasks there were. */
#include <stdio.h>
#include <stdlib.h>

static long tasks;

static void grow(int depth) {
  if (depth == 0) return;
#pragma omp task
  grow(depth - 1);
#pragma omp task if (depth > 3)
  grow(depth - 2 > 0 ? depth - 2 : 0);
#pragma omp atomic
  tasks += 2;
#pragma omp taskwait
}

static void grow_untied(int depth) {
  if (depth == 0) return;
#pragma omp task untied
  grow_untied(depth - 1);
#pragma omp task untied
  grow_untied(depth - 2 > 0 ? depth - 2 : 0);
#pragma omp atomic
  tasks += 2;
#pragma omp taskwait
}

int main(int argc, char **argv) {
  int depth = argc > 1 ? atoi(argv[1]) : 10;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 50; i++) {
#pragma omp task
#pragma omp atomic
      tasks++;
    }
    if (argc > 2)
      grow_untied(depth);
    else
      grow(depth);
  }
  printf("%ld\n", tasks);
  return 0;
}
//--- silent.c
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
//--- unprofiled.c
/* Loops with a profile and without, for one reason each. */
#include <stdio.h>

static double a[20000], b[20000];

static double sum(void) {
  double s = 0;
#pragma omp parallel for reduction(+ : s) schedule(static)
  for (int i = 0; i < 20000; i++) {
#pragma clang fp reassociate(on)
    s += a[i] * b[i];
  }
  return s;
}

int main(void) {
  double s = 0;
  for (int k = 0; k < 20; k++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 20000; i++) a[i] = a[i] * 0.5 + i;
#pragma omp parallel for schedule(dynamic, 500)
    for (int i = 0; i < 20000; i++) b[i] = b[i] * 0.5 + i;
    s += sum();
  }
  printf("%g\n", s);
  return 0;
}
//--- within.c
// Loops of all kinds within regions, some within other loops: 10 times each, in teams of two threads.

#include <stdio.h>

int omp_get_thread_num(void);
void omp_set_max_active_levels(int levels);

static long sum;

static void add(long value) {
#pragma omp atomic
  sum += value;
}

__attribute__((noinline)) static void inner(int n) {
#pragma omp parallel for num_threads(2) schedule(static, 1) // inner
  for (int i = 0; i < n; i++) add(1);
}

int main(void) {
  omp_set_max_active_levels(2);
  for (int turn = 0; turn < 10; turn++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 2) // outer
      for (int i = 0; i < 8; i++) inner(16);
#pragma omp for schedule(dynamic, 1) nowait // dealt
      for (int i = 0; i < 10; i++) add(1);
#pragma omp sections // sections
      {
#pragma omp section
        add(1);
#pragma omp section
        inner(4);
      }
#pragma omp for schedule(guided, 3) ordered // ordered
      for (int i = 0; i < 20; i++) {
#pragma omp ordered
        add(1);
      }
#pragma omp for collapse(2) // two
      for (int i = 0; i < 10; i++)
        for (int k = 0; k < 10; k++) add(1);
    }
  }
  printf("%ld\n", sum);
  return 0;
}
