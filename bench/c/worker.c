/* A worker of the benchmarks: answers each line on standard input with one on standard output.
 *
 *   hello                                                  its runtime's file, then the CPU of each thread
 *   batch BODY CHUNK THREADS ITERATIONS WARMUP LOOPS       nanoseconds per execution of the loop
 *   check CHUNK THREADS ITERATIONS                         chunk events that the tool gets of one loop
 *   delay SPINS                                            what a delay is, from now on
 *   reference NAME                                         nanoseconds of one: spin, rdtsc, clock, call
 *
 * -DTHESIS adds what thesis.c says, -DSCHEDULES what schedules.c does. Every variant runs this one source. -DDEALT lets the runtime deal the chunks, -DPADDING=n moves the
 * loops by n bytes, so that no variant owes its result to where they happened to be.
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
void omp_set_schedule(int kind, int chunk);

#ifdef DEALT
#define SCHEDULE schedule(runtime)
#else
#define SCHEDULE schedule(static, chunk)
#endif

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
static volatile int spins;

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

void called(int i);
NOT_INLINED void called(int i) { __asm__ volatile("" : : "r"(i)); }

/* One loop per body; the bodies are those of docs/benchmarking.md. */
#define LOOP(name, prepare, body)                                                                  \
  NOT_INLINED AT_CACHE_LINE static void name(int iterations, int chunk, float *own) {              \
    MOVED;                                                                                         \
    prepare;                                                                                       \
    EVALUATE(omp for SCHEDULE nowait)                                                              \
    for (int i = 0; i < iterations; i++)                                                           \
      body;                                                                                        \
  }

LOOP(empty, (void)own, __asm__ volatile(""))
LOOP(flops, (void)0, own[i] = own[i] * 0.5f + 1.0f)
LOOP(delay, (void)own; int some = spins, for (int spin = 0; spin < some; spin++) __asm__ volatile("" : "+r"(spin)))
LOOP(call, (void)own, called(i))

static const struct {
  const char *name;
  void (*run)(int iterations, int chunk, float *own);
} loops[] = {{"empty", empty}, {"flops", flops}, {"delay", delay}, {"call", call}};

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
#ifdef DEALT
  omp_set_schedule(1 /* omp_sched_static */, chunk);
#endif
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

/* The runtime, or the shim, opened the tool for itself: it is not among the program's own symbols. */
static long (*counter(void))(int) {
  const char *path = getenv("OMPCHUNK_BENCH_TOOL_PATH");
  void *tool = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  return tool ? (long (*)(int))dlsym(tool, "bench_tool_count") : NULL;
}

static int is_tool_here(long (*count)(int)) {
  if (count || !getenv("OMPCHUNK_BENCH_TOOL_PATH"))
    return 1;
  printf("error the tool is not in the process\n");
  return 0;
}

static void check(int chunk, int threads, int iterations) {
  long (*count)(int) = counter();
  if (!is_tool_here(count))
    return;
  if (count)
    count(1);
#ifdef DEALT
  omp_set_schedule(1, chunk);
#endif
#pragma omp parallel num_threads(threads)
  empty(iterations, chunk, NULL);
  printf("%ld\n", count ? count(0) : 0);
}

typedef double (*clock_function)(void);
extern double rdtsc(void);
NOT_INLINED double rdtsc(void) {
#if defined(__x86_64__)
  return (double)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  unsigned long long ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return (double)ticks;
#else
  return now();
#endif
}
static void nothing(int i) { (void)i; }
static void (*volatile through)(int) = nothing;

static void reference(const char *name) {
  enum { TIMES = 20000 };
  clock_function of = strcmp(name, "clock") == 0 ? now : rdtsc;
  double best = 1e18, sink = 0;
  /* The best of several: everything that disturbs makes it longer. */
  for (int round = 0; round < 20; round++) {
    double start = now();
    if (strcmp(name, "spin") == 0) {
      spins = TIMES;
      delay(1, 1, NULL);
    } else if (strcmp(name, "call") == 0) {
      for (int i = 0; i < TIMES; i++)
        through(i);
    } else {
      for (int i = 0; i < TIMES; i++)
        sink += of();
    }
    double took = (now() - start) / TIMES;
    if (took < best)
      best = took;
  }
  __asm__ volatile("" : : "r"(&sink) : "memory");
  printf("%.4f\n", best);
}

#ifdef THESIS
#include "thesis.c"
#endif
#ifdef SCHEDULES
#include "schedules.c"
#endif

int main(void) {
  char line[256], word[64];
  int a, b, c, d, e;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "batch %63s %d %d %d %d %d", word, &a, &b, &c, &d, &e) == 6)
      batch(word, a, b, c, d, e);
#ifdef THESIS
    else if (sscanf(line, "thesis %63s %d %d %d %d %d", word, &a, &b, &c, &d, &e) == 6)
      thesis(word, a, b, c, d, e);
    else if (sscanf(line, "events %63s %d %d %d", word, &a, &b, &c) == 4)
      events(word, a, b, c);
#endif
#ifdef SCHEDULES
    else if (sscanf(line, "schedule %63s %d %d %d %d", word, &a, &b, &c, &d) == 5)
      schedule(word, a, b, c, d);
#endif
    else if (sscanf(line, "check %d %d %d", &a, &b, &c) == 3)
      check(a, b, c);
    else if (sscanf(line, "delay %d", &a) == 1)
      printf("%d\n", spins = a);
    else if (sscanf(line, "reference %63s", word) == 1)
      reference(word);
    else if (strncmp(line, "hello", 5) == 0)
      hello();
    else
      printf("error unknown command\n");
    fflush(stdout);
  }
  return 0;
}
