/* A worker of the benchmark: worker TOOL PADDING. Answers each line on standard input with one on standard output.
 *
 *   hello                                                  its runtime's file, then the CPU of each thread
 *   batch BODY CHUNK THREADS ITERATIONS WARMUP LOOPS       nanoseconds per execution of the loop
 *   check CHUNK THREADS ITERATIONS                         chunk events that TOOL, if that is not empty, gets of one loop
 *
 * Every variant runs this one source. -DPADDING=n moves the loops by n bytes, so that no variant owes its result to where they
 * happened to be; PADDING, of random length, moves the stack.
 *
 * omp.h is not included: some clangs have none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int omp_get_thread_num(void);
int omp_get_num_threads(void);

#define MOST_THREADS 256
#define PRAGMA(words) _Pragma(#words)
#define EVALUATE(words) PRAGMA(words)
#define NOT_INLINED __attribute__((noinline))

/* The elements of one thread: threads that wrote to one array would share its cache lines. */
static struct {
  float *of;
  int count;
  char rest_of_line[48];
} elements[MOST_THREADS];
static const char *tool_path = "";

/* Within the function: functions are aligned themselves, so a loop in one that only moved as a whole would
 * always have the same padding before it. And functions begin with a cache line, so that what one is moved
 * by does not move the next one, and loops meet every part of a line equally often. */
#define AT_CACHE_LINE __attribute__((aligned(64)))
#define TEXT(number) #number
#define MOVE(jump, number) __asm__ volatile(jump " 1f\n.skip " TEXT(number) "\n1:")
#if defined(PADDING) && defined(__x86_64__)
#define MOVED MOVE("jmp", PADDING)
#elif defined(PADDING) && defined(__aarch64__)
#define MOVED MOVE("b", PADDING)
#else
#define MOVED (void)0
#endif

/* One loop per body; the bodies are those of docs/benchmarking.md. */
#define LOOP(name, prepare, body)                                                                  \
  NOT_INLINED AT_CACHE_LINE static void name(int iterations, int chunk, float *own) {              \
    MOVED;                                                                                         \
    prepare;                                                                                       \
    EVALUATE(omp for schedule(static, chunk) nowait)                                                              \
    for (int i = 0; i < iterations; i++)                                                           \
      body;                                                                                        \
  }

LOOP(empty, (void)own, __asm__ volatile(""))
LOOP(flops, (void)0, own[i] = own[i] * 0.5f + 1.0f)

static const struct {
  const char *name;
  void (*run)(int iterations, int chunk, float *own);
} loops[] = {{"empty", empty}, {"flops", flops}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Team members begin together: one that still sleeps would not compete for what the others use. */
static void begin_together(atomic_int *here) {
  atomic_fetch_add(here, 1);
  while (atomic_load(here) < omp_get_num_threads())
    sched_yield();
}

static float *elements_of(int self, int iterations) {
  if (elements[self].count < iterations) {
    free(elements[self].of);
    elements[self].of = malloc((size_t)iterations * sizeof(float));
    elements[self].count = iterations;
    for (int i = 0; i < iterations; i++)
      elements[self].of[i] = (float)i;
  }
  return elements[self].of;
}

static void batch(const char *body, int chunk, int threads, int iterations, int warmup, int executions) {
  void (*run)(int, int, float *) = NULL;
  for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
    if (strcmp(loops[i].name, body) == 0)
      run = loops[i].run;
  if (!run || threads > MOST_THREADS) {
    printf("error no such batch\n");
    return;
  }
  static double took[MOST_THREADS][8]; /* a cache line each */
  atomic_int here = 0;
  int team = 0;
#pragma omp parallel num_threads(threads)
  {
    int self = omp_get_thread_num();
    if (self == 0)
      team = omp_get_num_threads();
    float *own = elements_of(self, iterations);
    begin_together(&here);
    for (int i = 0; i < warmup; i++)
      run(iterations, chunk, own);
    double start = now();
    for (int i = 0; i < executions; i++)
      run(iterations, chunk, own);
    took[self][0] = now() - start;
  }
  if (team != threads) {
    printf("error the runtime gave a team of %d\n", team);
    return;
  }
  double sum = 0;
  for (int i = 0; i < threads; i++)
    sum += took[i][0];
  printf("%.9g\n", sum / threads / executions);
}

static void hello(void) {
  static int cpu[MOST_THREADS];
  int team = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0)
      team = omp_get_num_threads();
    if (omp_get_thread_num() < MOST_THREADS)
      cpu[omp_get_thread_num()] = sched_getcpu();
  }
  Dl_info info;
  void *symbol = dlsym(RTLD_DEFAULT, "__kmpc_for_static_init_4");
  printf("%s", symbol && dladdr(symbol, &info) ? info.dli_fname : "");
  for (int i = 0; i < team && i < MOST_THREADS; i++)
    printf("\t%d", cpu[i]);
  printf("\n");
}

static void check(int chunk, int threads, int iterations) {
  /* The shim opened the tool for itself: it is not among the program's own symbols. */
  void *tool = *tool_path ? dlopen(tool_path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  long (*count)(int) = tool ? (long (*)(int))dlsym(tool, "bench_tool_count") : NULL;
  if (*tool_path && !count) {
    printf("error the tool is not in the process\n");
    return;
  }
  if (count)
    count(1);
#pragma omp parallel num_threads(threads)
  empty(iterations, chunk, NULL);
  printf("%ld\n", count ? count(0) : 0);
}

int main(int words, char **word) {
  char line[256], body[64];
  int a, b, c, d, e;
  if (words > 1)
    tool_path = word[1];
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "batch %63s %d %d %d %d %d", body, &a, &b, &c, &d, &e) == 6)
      batch(body, a, b, c, d, e);
    else if (sscanf(line, "check %d %d %d", &a, &b, &c) == 3)
      check(a, b, c);
    else if (strncmp(line, "hello", 5) == 0)
      hello();
    else
      printf("error unknown command\n");
    fflush(stdout);
  }
  return 0;
}
