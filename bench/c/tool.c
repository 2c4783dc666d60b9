/* The OMPT tools of the benchmarks: what a tool costs that does as little as it can.
 *
 * OMPCHUNK_BENCH_TOOL names the callbacks: none, dispatch, chunk, clock (chunk with rdtsc as its clock),
 * extensions (loop, chunk and task creation with that clock), standard (the runtime's own events in which the shim
 * learns of loops and tasks), grains (the standard's that grain graphs need) or grains-extensions (those and the extensions).
 * omp-tools.h is not included: some clangs have none; these are its types, as far as they matter. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef union {
  uint64_t value;
  void *ptr;
} ompt_data_t;
typedef void (*ompt_callback_t)(void);
typedef ompt_callback_t (*ompt_function_lookup_t)(const char *name);
typedef int (*ompt_set_callback_t)(int event, ompt_callback_t callback);
typedef struct {
  int (*initialize)(ompt_function_lookup_t lookup, int device, ompt_data_t *data);
  void (*finalize)(ompt_data_t *data);
  ompt_data_t data;
} ompt_start_tool_result_t;

enum { THREAD_BEGIN = 1, THREAD_END, PARALLEL_BEGIN, PARALLEL_END, TASK_CREATE, TASK_SCHEDULE, IMPLICIT_TASK, WORK = 20, DISPATCH = 32, LOOP = 81, CHUNK = 82, TOOL_TIME = 83, TASK_CREATION = 84 };

static ompt_set_callback_t set_callback;
static const char *which = "none";
static long events;

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, int kind, ompt_data_t instance) {
  (void)parallel, (void)task, (void)kind, (void)instance;
}
static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration, int is_last) {
  (void)task, (void)lower, (void)upper, (void)create_duration, (void)is_last;
}
static void count_dispatch(ompt_data_t *parallel, ompt_data_t *task, int kind, ompt_data_t instance) {
  (void)parallel, (void)task, (void)kind, (void)instance;
  __atomic_fetch_add(&events, 1, __ATOMIC_RELAXED);
}
static void count_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration, int is_last) {
  (void)task, (void)lower, (void)upper, (void)create_duration, (void)is_last;
  __atomic_fetch_add(&events, 1, __ATOMIC_RELAXED);
}
static void on_loop(int sched, int endpoint, ompt_data_t *parallel, ompt_data_t *task, int is_signed, int64_t step,
                    const void *code) {
  (void)sched, (void)endpoint, (void)parallel, (void)task, (void)is_signed, (void)step, (void)code;
}
static void on_task_creation(ompt_data_t *task, const void *frame, ompt_data_t *new_task, int flags,
                             int has_dependences, double duration, const void *code) {
  (void)task, (void)frame, (void)new_task, (void)flags, (void)has_dependences, (void)duration, (void)code;
}
static void count_loop(int sched, int endpoint, ompt_data_t *parallel, ompt_data_t *task, int is_signed,
                       int64_t step, const void *code) {
  on_loop(sched, endpoint, parallel, task, is_signed, step, code);
  __atomic_fetch_add(&events, 1, __ATOMIC_RELAXED);
}
static void count_task_creation(ompt_data_t *task, const void *frame, ompt_data_t *new_task, int flags,
                                int has_dependences, double duration, const void *code) {
  on_task_creation(task, frame, new_task, flags, has_dependences, duration, code);
  __atomic_fetch_add(&events, 1, __ATOMIC_RELAXED);
}
static void on_work(int type, int endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
                    const void *code) {
  (void)type, (void)endpoint, (void)parallel, (void)task, (void)count, (void)code;
}
static void on_task_create(ompt_data_t *task, const void *frame, ompt_data_t *new_task, int flags,
                           int has_dependences, const void *code) {
  (void)task, (void)frame, (void)new_task, (void)flags, (void)has_dependences, (void)code;
}
static void on_task_schedule(ompt_data_t *prior, int status, ompt_data_t *next) {
  (void)prior, (void)status, (void)next;
}
static void on_thread_begin(int type, ompt_data_t *thread) { (void)type, (void)thread; }
static void on_thread_end(ompt_data_t *thread) { (void)thread; }
static void on_parallel_begin(ompt_data_t *task, const void *frame, ompt_data_t *parallel, unsigned threads, int flags,
                              const void *code) {
  (void)task, (void)frame, (void)parallel, (void)threads, (void)flags, (void)code;
}
static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code) {
  (void)parallel, (void)task, (void)flags, (void)code;
}
static void on_implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned threads, unsigned index,
                             int flags) {
  (void)endpoint, (void)parallel, (void)task, (void)threads, (void)index, (void)flags;
}
static double clock_ticks(void) {
#if defined(__x86_64__)
  return (double)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  unsigned long long ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return (double)ticks;
#else
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
#endif
}

static int is(const char *name) { return strcmp(which, name) == 0; }
static int has_extensions(void) { return is("extensions") || is("grains-extensions"); }
static int has_grains(void) { return is("grains") || is("grains-extensions"); }

static void set(int counting) {
  if (is("dispatch"))
    set_callback(DISPATCH, (ompt_callback_t)(counting ? count_dispatch : on_dispatch));
  if (has_extensions() || is("chunk") || is("clock"))
    set_callback(CHUNK, (ompt_callback_t)(counting ? count_chunk : on_chunk));
  if (has_extensions()) {
    set_callback(LOOP, (ompt_callback_t)(counting ? count_loop : on_loop));
    set_callback(TASK_CREATION, (ompt_callback_t)(counting ? count_task_creation : on_task_creation));
  }
}

/* Counts from now on, or stops counting; how many events came before. For the worker, which looks it up. */
long bench_tool_count(int counting) {
  long before = events;
  events = 0;
  if (set_callback)
    set(counting);
  return before;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (is("clock") || has_extensions())
    set_callback(TOOL_TIME, (ompt_callback_t)clock_ticks);
  if (is("standard") || has_grains()) {
    set_callback(WORK, (ompt_callback_t)on_work);
    set_callback(TASK_CREATE, (ompt_callback_t)on_task_create);
    set_callback(TASK_SCHEDULE, (ompt_callback_t)on_task_schedule);
  }
  if (has_grains()) {
    set_callback(THREAD_BEGIN, (ompt_callback_t)on_thread_begin);
    set_callback(THREAD_END, (ompt_callback_t)on_thread_end);
    set_callback(PARALLEL_BEGIN, (ompt_callback_t)on_parallel_begin);
    set_callback(PARALLEL_END, (ompt_callback_t)on_parallel_end);
    set_callback(IMPLICIT_TASK, (ompt_callback_t)on_implicit_task);
  }
  set(0);
  /* Scripts that time other people's programs ask whether it was there at all. */
  if (getenv("OMPCHUNK_BENCH_SAY"))
    fprintf(stderr, "bench tool: %s\n", which);
  return 1;
}
static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  const char *named = getenv("OMPCHUNK_BENCH_TOOL");
  if (named)
    which = named;
  return &result;
}
