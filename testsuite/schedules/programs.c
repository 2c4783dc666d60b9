//--- clock.c
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
//--- flip.c
/* A tool that changes its mind all the time, while loops run. */
#include <omp-tools.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include "ompt-chunk.h"

static unsigned long events;
static ompt_set_callback_t set;

static void nothing(void) { __atomic_fetch_add(&events, 1, __ATOMIC_RELAXED); }

static void *flip(void *unused) {
  (void)unused;
  /* What the shim itself sends: stock runtimes crash where one of their own is taken away. */
  const ompt_callbacks_t ours[] = {ompt_callback_dispatch, ompt_callback_chunk, ompt_callback_loop};
  for (unsigned round = 0;; round++) {
    set(ours[round % 3], round / 3 % 2 ? (ompt_callback_t)nothing : NULL);
    struct timespec pause = {0, 30000};
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_implicit_task, (ompt_callback_t)nothing);
  pthread_t thread;
  return set && !pthread_create(&thread, NULL, flip, NULL);
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
//--- idle.c
/* A loop of 40 iterations, dealt to two teams of four threads, and a range that begins far from 0: under some chunk sizes threads
 * have no chunk. Counts how often each iteration runs. */
#include <stdio.h>

enum { ITERATIONS = 40, REPETITIONS = 20 };

static int ran[64];

int main(void) {
  int wrong = 0;
  for (int repetition = 0; repetition < REPETITIONS; repetition++) {
    for (int i = 0; i < 64; i++) ran[i] = 0;
#pragma omp teams distribute parallel for num_teams(2) thread_limit(4)
    for (int i = 0; i < ITERATIONS; i++) {
#pragma omp atomic
      ran[i]++;
    }
    for (int i = 0; i < 64; i++) wrong += ran[i] != (i < ITERATIONS);
  }
  printf("%d iterations, %d wrong\n", REPETITIONS * ITERATIONS, wrong);
  return wrong != 0;
}
//--- last.c
/* The value that a loop's last iteration leaves, of teams of all sizes and loops of few and many iterations. Says of the largest loop
 * whether its first thread had as many iterations in all regions. */
#include <omp.h>
#include <stdio.h>

static int (*who_runs)(void);
void *dlsym(void *, const char *);
/* By an address, as a loop that asks by name stays as it is. */
__attribute__((constructor)) static void find_who_runs(void) { who_runs = (int (*)(void))dlsym(0, "omp_get_thread_num"); }

enum { MOST = 200, REGIONS = 40 };

static int ran[MOST];
static long iterations, wrong;
static int first_block = -1, blocks_differ;

static void check(long count, long left, long expected) {
  for (long i = 0; i < MOST; i++) {
    wrong += ran[i] != (i < count);
    ran[i] = 0;
  }
  iterations += count;
  wrong += left != expected;
}

static void up(int count) {
  int left = -1, of_first = 0;
#pragma omp parallel for schedule(static) lastprivate(left) reduction(+ : of_first)
  for (int i = 0; i < count; i++) {
    ran[i]++;
    left = 3 * i;
    of_first += who_runs() == 0;
  }
  check(count, left, 3 * (count - 1));
  if (count != MOST) return;
  blocks_differ |= first_block >= 0 && of_first != first_block;
  first_block = of_first;
}

static void down(long count) {
  long left = -1;
#pragma omp parallel for schedule(static) lastprivate(left)
  for (long i = count - 1; i >= 0; i--) {
    ran[i]++;
    left = i + 7;
  }
  check(count, left, 7);
}

static void unsigned_and_far(unsigned long count) {
  unsigned long left = 0, begin = (unsigned long)-1 - MOST;
#pragma omp parallel for schedule(static) lastprivate(left)
  for (unsigned long i = begin; i < begin + count; i++) {
    ran[i - begin]++;
    left = i;
  }
  check((long)count, (long)(left - begin), (long)count - 1);
}

static void both(int count) {
  int i, j;
#pragma omp parallel for schedule(static) collapse(2) lastprivate(i, j)
  for (i = 0; i < count; i++)
    for (j = 0; j < 3; j++) ran[3 * i + j]++;
  check(3 * count, i * 10 + j, count * 10 + 3);
}

static void in_step(int count) {
  int left = 5;
#pragma omp parallel for simd schedule(static) linear(left : 2)
  for (int i = 0; i < count; i++) {
    ran[i]++;
    left += 2;
  }
  check(count, left, 5 + 2 * count);
}

int main(void) {
  static const int counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 60, MOST};
  for (int region = 0; region < REGIONS; region++)
    for (unsigned number = 0; number < sizeof counts / sizeof *counts; number++) {
      int count = counts[number];
      up(count);
      down(count);
      unsigned_and_far((unsigned long)count);
      both(count > 60 ? 60 : count);
      in_step(count);
    }
  printf("%ld iterations, %ld wrong\nblocks %s\n", iterations, wrong, blocks_differ ? "differ" : "are alike");
  return 0;
}
//--- middle.c
/* One thread of a team comes to a loop, and in its first iteration a library is opened that brings a runtime of its own, which asks
 * for tools. The others come to the loop after that: all iterations run once if they have it as the first had it.
 *
 * middle LIBRARY: the program starts with OMP_TOOL=disabled, which it takes away for the library's runtime. */
#define _GNU_SOURCE
#include "program.h"

#include <dlfcn.h>
#include <string.h>

enum { N = 90, ROUNDS = 3 };

static unsigned ran[ROUNDS][N];
static int is_there;

static void open_library(const char *path) {
  setenv("OMP_TOOL", "enabled", 1);
  /* Its calls go to its own runtime, though the program's has the same names. */
  void *handle = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
  if (!handle) printf("%s\n", dlerror()), exit(2);
  long (*part)(void) = (long (*)(void))dlsym(handle, "part");
  if (!part || part()) printf("the library's loop went wrong\n"), exit(2);
  __atomic_store_n(&is_there, 1, __ATOMIC_RELEASE);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
#pragma omp parallel num_threads(3)
  for (int round = 0; round < ROUNDS; round++) {
    int is_first = who_runs() == 0;
    while (!is_first && !__atomic_load_n(&is_there, __ATOMIC_ACQUIRE)) ;
#pragma omp for
    for (int i = 0; i < N; i++) {
      __atomic_fetch_add(&ran[round][i], 1, __ATOMIC_RELAXED);
      if (is_first && !__atomic_load_n(&is_there, __ATOMIC_ACQUIRE)) open_library(arguments[1]);
    }
  }
  unsigned total = 0, wrong = 0;
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < N; i++) total += ran[round][i], wrong += ran[round][i] != 1;
  printf("%u iterations, %u wrong\n", total, wrong);
  return wrong != 0;
}
//--- part.c
/* A library that is opened while the program runs. */
enum { N = 64 };
static int (*who_runs)(void);
void *dlsym(void *, const char *);
/* By an address, as a loop that asks by name stays as it is. */
__attribute__((constructor)) static void find_who_runs(void) { who_runs = (int (*)(void))dlsym(0, "omp_get_thread_num"); }

/* How often the loop of three threads goes over to another thread: 2 under static, more under static,1. -1: an iteration
 * did not run once. */
int hands(void) {
  int ran[N] = {0}, thread[N], changes = 0;
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < N; i++) __atomic_fetch_add(&ran[i], 1, __ATOMIC_RELAXED), thread[i] = who_runs();
  for (int i = 0; i < N; i++) {
    if (ran[i] != 1) return -1;
    changes += i && thread[i] != thread[i - 1];
  }
  return changes;
}

/* 0 if all is right. */
long part(void) {
  for (int round = 0; round < 20; round++)
    if (hands() < 0) return 1;
  return 0;
}
//--- pool.c
/* Several primary threads, each with a region after the other in teams of changing size. With KMP_HOT_TEAMS_MAX_LEVEL=0 the runtime takes
 * teams out of a pool that all share. Prints how many iterations did not run once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 200, ROOTS = 4 };
static int rounds;
static long wrong;
static void *root(void *p) {
  int hit[N]; long bad = 0; unsigned seed = (unsigned)(long)p;
  for (int r = 0; r < rounds; r++) {
    int team = 2 + rand_r(&seed) % 3;
    memset(hit, 0, sizeof hit);
#pragma omp parallel for num_threads(team)
    for (int i = 0; i < N; i++) __atomic_fetch_add(&hit[i], 1, __ATOMIC_RELAXED);
    for (int i = 0; i < N; i++) bad += hit[i] != 1;
  }
  __atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
  return 0;
}
int main(int argc, char **argv) {
  if (argc != 2) return 2;
  rounds = atoi(argv[1]);
  pthread_t t[ROOTS];
  for (long i = 0; i < ROOTS; i++) pthread_create(&t[i], 0, root, (void *)(i + 1));
  for (int i = 0; i < ROOTS; i++) pthread_join(t[i], 0);
  printf("%ld wrong\n", wrong);
  return wrong != 0;
}
//--- says.c
/* A tool that prints under which schedule the first thread's loops run. */
#include <omp-tools.h>
#include <stdint.h>
#include <stdio.h>

#include "ompt-chunk.h"

static ompt_chunk_get_schedule_t get_schedule;
static ompt_chunk_get_loop_t get_loop;

static void on_loop(ompt_loop_sched_t schedule, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, int step, const void *codeptr) {
  (void)parallel, (void)task, (void)step, (void)codeptr;
  extern int omp_get_thread_num(void);
  if (endpoint != ompt_scope_begin || omp_get_thread_num() != 0) return;
  unsigned kind = 0;
  int64_t chunk = 0;
  int said = get_schedule(&kind, &chunk);
  const ompt_chunk_loop_t *loop = get_loop();
  fprintf(stderr, "said %d: schedule %u, chunk %ld, event %u, source %u\n", said, kind, (long)chunk,
          (unsigned)schedule, loop ? (unsigned)loop->schedule : 0);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_schedule = (ompt_chunk_get_schedule_t)lookup("ompt_chunk_get_schedule");
  get_loop = (ompt_chunk_get_loop_t)lookup("ompt_chunk_get_loop");
  if (!set || !get_schedule || !get_loop) return 0;
  set(ompt_callback_loop, (ompt_callback_t)on_loop);
  return 1;
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
