// Loops of all kinds, again and again, of which each iteration must run once, and whose values count to the last bit. As a library
// (LIBRARY), one of them, to be loaded and unloaded. What the first argument says:
//   loops    so many rounds of all of them
//   fork     the same, and once more in a child
//   library  a library comes and goes between them
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" int omp_get_thread_num(void);

enum { MOST = 3000 };
static unsigned char runs[MOST];
static unsigned short who[MOST];
static uint64_t hash = 1469598103934665603u;

static void mix(uint64_t word) { hash = (hash ^ word) * 1099511628211u; }
static void mix(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  mix(word);
}
static void ran(uint64_t index) {
  if (index >= MOST) abort();
  __atomic_fetch_add(&runs[index], 1, __ATOMIC_RELAXED);
  who[index] = (unsigned short)omp_get_thread_num();
}
// Who ran what, and how often: once.
static void check(const char *loop, uint64_t trips) {
  for (uint64_t i = 0; i < MOST; i++) {
    if (runs[i] != (i < trips)) {
      printf("%s: iteration %lu of %lu ran %d times\n", loop, (unsigned long)i, (unsigned long)trips, runs[i]);
      exit(1);
    }
    if (i < trips) mix((uint64_t)who[i]);
    runs[i] = 0;
  }
}

#ifdef LIBRARY
extern "C" double part(int n) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += i + SALT;
  return sum;
}
#else

static void all(int round) {
  static const int lengths[] = {0, 1, 2, 3, 64, 65, 700, 2999};
  int n = lengths[round % 8];
  // Runtimes add up the threads' sums in any order: so these are exact, and each thread's own are compared.
  double sum = 0.5;
  double parts[8] = {0};
  int last = -1, linear = 7, other = -1;
#pragma omp parallel for schedule(static) reduction(+ : sum) lastprivate(last)
  for (int i = 0; i < n; i++) {
    ran(i);
    sum += i;
    last = i;
  }
  check("static", n);
#pragma omp parallel
  {
    double mine = 0.1;
    float product = 1;
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) mine += 1.0 / (i + 3);
#pragma omp for schedule(static, 57) linear(linear : 3) lastprivate(other)
    for (int i = n - 1; i >= 0; i--) {
      ran(n - 1 - i);
      product *= 1 + 1.0f / (i + 1);
      other = linear;
    }
    parts[omp_get_thread_num()] = mine * product;
  }
  check("static, 57, down", n);
  mix(sum), mix((uint64_t)last), mix((uint64_t)other), mix((uint64_t)linear);
  for (double part : parts) mix(part);

  // Near both ends of each type.
  unsigned from = UINT_MAX - n;
#pragma omp parallel for schedule(static)
  for (unsigned i = from; i < UINT_MAX; i++) ran(i - from);
  check("unsigned", n);
#pragma omp parallel for schedule(static, 100)
  for (int i = INT_MIN; i < INT_MIN + n; i++) ran((unsigned)i - (unsigned)INT_MIN);
  check("int", n);
#pragma omp parallel for schedule(static, 1 << 30)
  for (int64_t i = INT64_MAX - n; i < INT64_MAX; i++) ran(i - (INT64_MAX - n));
  check("long, a large chunk", n);
#pragma omp parallel for schedule(static)
  for (uint64_t i = UINT64_MAX - n; i < UINT64_MAX; i += 1) ran(i - (UINT64_MAX - n));
  check("unsigned long", n);
#pragma omp parallel for collapse(2) schedule(static)
  for (int i = 0; i < n / 50; i++)
    for (int k = 0; k < 50; k++) ran(i * 50 + k);
  check("collapse", n / 50 * 50);

  // Loops inside, of the same team and of others; exceptions that stay within an iteration; no barrier between two.
  static int inner[100];
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++) {
      try {
        if (i % 5 == 0) throw i;
        ran(i);
      } catch (int thrown) {
        ran(thrown);
      }
    }
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      if (who[i] != (unsigned short)omp_get_thread_num()) abort();
  }
  check("nowait", n);
#pragma omp parallel for schedule(static)
  for (int k = 0; k < 12; k++) {
    ran(k);
#pragma omp parallel for schedule(static, 9) num_threads(2)
    for (int i = 0; i < 8; i++) __atomic_fetch_add(&inner[k * 8 + i], 1, __ATOMIC_RELAXED);
  }
  check("nested", 12);
  for (int i = 0; i < 96; i++) mix((uint64_t)inner[i]);
}

static void library(const char *path) {
  void *opened = dlopen(path, RTLD_NOW);
  if (!opened) {
    puts(dlerror());
    exit(1);
  }
  double (*part)(int) = (double (*)(int))dlsym(opened, "part");
  for (int n = 0; n < 2000; n += 333) mix(part(n));
  dlclose(opened);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int rounds = atoi(argv[2]);
  for (int round = 0; round < rounds; round++) {
    all(round);
    if (argc > 4 && strcmp(argv[1], "library") == 0) library(argv[3 + round % 2]);
  }
  if (strcmp(argv[1], "fork") == 0) {
    pid_t child = fork();
    if (child == 0) {
      for (int round = 0; round < 16; round++) all(round);
      printf("child %016lx\n", (unsigned long)hash);
      fflush(stdout);
      _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) return 3;
  }
  printf("%016lx\n", (unsigned long)hash);
  return 0;
}
#endif
