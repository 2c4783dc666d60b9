//--- chunks.c
// One loop of chunks of one iteration, dealt by the program and by the runtime, with so many iterations as an argument says: the
// difference of two numbers is what chunks take.

#include <stdlib.h>

int main(int argc, char **argv) {
  int iterations = argc > 1 ? atoi(argv[1]) : 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < iterations; i++) __asm__ volatile("" : : "r"(i));
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < iterations; i++) __asm__ volatile("" : : "r"(i));
  }
  return 0;
}
//--- executions.c
// Executions of a loop with one chunk, as nine of ten loops in real codes have per thread, in a number that is an
// argument: the difference of two numbers is what executions take, wherever they take it. A second argument: the tool is
// told to pause.

#include <stdlib.h>

/* Not of omp.h, which not every clang finds. */
int omp_control_tool(int command, int modifier, void *argument);
enum { PAUSE = 2 };

int main(int argc, char **argv) {
  int executions = argc > 1 ? atoi(argv[1]) : 0;
  if (argc > 2) omp_control_tool(PAUSE, 0, NULL);
#pragma omp parallel num_threads(1)
  for (int execution = 0; execution < executions; execution++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 1; i++) __asm__ volatile("");
  }
  return 0;
}
//--- loops.c
// Loops whose instructions are counted: each body, in every chunk size from 1 to 64, in two lengths. Each of
// these is a function of its own, whose inclusive count callgrind gives; the difference of the two lengths
// is that of the chunks alone.
//
// Two threads, because some runtimes give a team of one the whole loop as one chunk. They wait for nothing
// within what is counted.

#define FEW 10
#define MANY 30
#define THREADS 2
#define NOT_INLINED __attribute__((noinline))

static float elements[THREADS * MANY * 64];

void called(int i);
NOT_INLINED void called(int i) { __asm__ volatile("" : : "r"(i)); }

#define LOOP(name, body)                                                                           \
  NOT_INLINED void name(int iterations, int chunk);                                                \
  NOT_INLINED void name(int iterations, int chunk) {                                               \
    _Pragma("omp for schedule(static, chunk) nowait") for (int i = 0; i < iterations; i++) body;   \
  }

LOOP(empty, __asm__ volatile(""))
LOOP(flops, elements[i] = elements[i] * 0.5f + 1.0f)
LOOP(delay, for (int spin = 0; spin < 5; spin++) __asm__ volatile("" : "+r"(spin)))
LOOP(call, called(i))

#define COUNTED(name, body, chunk, chunks)                                                         \
  NOT_INLINED static void name(void) {                                                             \
    body(THREADS *chunks *chunk, chunk);                                                           \
    __asm__ volatile(""); /* no tail call: the loop is called from here */                         \
  }
#define OF_CHUNK(body, chunk)                                                                      \
  COUNTED(few_##body##_##chunk, body, chunk, FEW)                                                  \
  COUNTED(many_##body##_##chunk, body, chunk, MANY)
#define RUN(body, chunk)                                                                           \
  few_##body##_##chunk();                                                                          \
  many_##body##_##chunk();

#define EACH_CHUNK(X, body)                                                                        \
  X(body, 1) X(body, 2) X(body, 3) X(body, 4) X(body, 5) X(body, 6) X(body, 7) X(body, 8)          \
  X(body, 9) X(body, 10) X(body, 11) X(body, 12) X(body, 13) X(body, 14) X(body, 15) X(body, 16)   \
  X(body, 17) X(body, 18) X(body, 19) X(body, 20) X(body, 21) X(body, 22) X(body, 23) X(body, 24)  \
  X(body, 25) X(body, 26) X(body, 27) X(body, 28) X(body, 29) X(body, 30) X(body, 31) X(body, 32)  \
  X(body, 33) X(body, 34) X(body, 35) X(body, 36) X(body, 37) X(body, 38) X(body, 39) X(body, 40)  \
  X(body, 41) X(body, 42) X(body, 43) X(body, 44) X(body, 45) X(body, 46) X(body, 47) X(body, 48)  \
  X(body, 49) X(body, 50) X(body, 51) X(body, 52) X(body, 53) X(body, 54) X(body, 55) X(body, 56)  \
  X(body, 57) X(body, 58) X(body, 59) X(body, 60) X(body, 61) X(body, 62) X(body, 63) X(body, 64)
#define EACH_BODY(X) X(empty) X(flops) X(delay) X(call)

#define DEFINE(body) EACH_CHUNK(OF_CHUNK, body)
EACH_BODY(DEFINE)

int main(void) {
#pragma omp parallel num_threads(THREADS)
  {
    // What only a first call does: binding symbols, and a thread's own storage.
#define WARM_UP(body) body(THREADS * FEW, 1);
    EACH_BODY(WARM_UP)
#define RUN_ALL(body) EACH_CHUNK(RUN, body)
    EACH_BODY(RUN_ALL)
  }
  return 0;
}
//--- sections.c
// Sections whose instructions are counted: constructs with few and with many. Each is a function of its own, whose inclusive
// count callgrind gives; the difference of the two is that of the sections alone.

#define THREADS 2
#define NOT_INLINED __attribute__((noinline))

void called(int section);
NOT_INLINED void called(int section) { __asm__ volatile("" : : "r"(section)); }

#define SECTION(section) _Pragma("omp section") called(section);
#define FOUR(first) SECTION(first) SECTION(first + 1) SECTION(first + 2) SECTION(first + 3)

NOT_INLINED static void few(void) {
#pragma omp sections nowait
  { FOUR(0) FOUR(4) }
}

NOT_INLINED static void many(void) {
#pragma omp sections nowait
  { FOUR(0) FOUR(4) FOUR(8) FOUR(12) FOUR(16) FOUR(20) }
}

NOT_INLINED static void warm(void) {
#pragma omp sections nowait
  { FOUR(0) }
}

int main(void) {
#pragma omp parallel num_threads(THREADS)
  {
    warm(); // What only a first call does: binding symbols, and a thread's own storage.
    few();
    many();
  }
  return 0;
}
//--- sub_blocks.c
// One execution of a loop with one chunk, of as many iterations as an argument says: the difference of two numbers is what
// iterations take, and with sub-blocks of one iteration, what these take.

#include <stdlib.h>

int main(int argc, char **argv) {
  int iterations = argc > 1 ? atoi(argv[1]) : 0;
#pragma omp parallel for schedule(static) num_threads(1)
  for (int i = 0; i < iterations; i++) __asm__ volatile("");
  return 0;
}
//--- tasks.c
// The creation of tasks whose instructions are counted, in two lengths: the difference is that of the tasks alone.
// In a team of one they run at once; in a team of two they wait in a queue until all have been counted, while the
// other thread touches none.

#include <sched.h>

#define FEW 20
#define MANY 60 /* with FEW, less than a queue holds */
#define NOT_INLINED __attribute__((noinline))

int omp_get_thread_num(void);

void run(void);
NOT_INLINED void run(void) { __asm__ volatile(""); }

NOT_INLINED void create(int tasks);
NOT_INLINED void create(int tasks) {
  for (int i = 0; i < tasks; i++) {
#pragma omp task
    run();
  }
}

#define COUNTED(name, tasks)                                                                       \
  NOT_INLINED static void name(void) {                                                             \
    create(tasks);                                                                                 \
    __asm__ volatile(""); /* no tail call: tasks are created from here */                          \
  }
COUNTED(few_at_once, FEW)
COUNTED(many_at_once, MANY)
COUNTED(few_deferred, FEW)
COUNTED(many_deferred, MANY)

static int done;

int main(void) {
#pragma omp parallel num_threads(1)
  {
    create(2 * (FEW + MANY)); // what only first tasks do: binding symbols, getting memory
    few_at_once();
    many_at_once();
  }
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    create(2 * (FEW + MANY));
#pragma omp taskwait
    few_deferred();
    many_deferred();
#pragma omp taskwait
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  } else {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) sched_yield();
  }
  return 0;
}
//--- tool.c
// A tool whose callbacks do nothing. CALLBACK names what it registers: none, dispatch, loops (the runtime's own work and
// dispatch, as a recorder does), named (the runtime's own work, with loops named), chunk, clock (chunk with a clock), sub-block, creation (of tasks, with a clock), or tasks
// (the runtime's own events in which the shim learns of these).
#include "ompt-chunk.h"

#include <stdlib.h>
#include <string.h>

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
  (void)parallel, (void)task, (void)kind, (void)instance;
}
static void on_work(ompt_work_t work, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    uint64_t count, const void *codeptr) {
  (void)work, (void)endpoint, (void)parallel, (void)task, (void)count, (void)codeptr;
}
static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration, int is_last) {
  (void)task, (void)lower, (void)upper, (void)create_duration, (void)is_last;
}
static void on_sub_block(ompt_data_t *parallel, ompt_data_t *task, uint64_t lower, uint64_t iterations,
                         unsigned flags, const void *codeptr) {
  (void)parallel, (void)task, (void)lower, (void)iterations, (void)flags, (void)codeptr;
}
static void on_creation(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *created, int flags,
                        int has_dependences, double duration, const void *codeptr) {
  (void)task, (void)frame, (void)created, (void)flags, (void)has_dependences, (void)duration, (void)codeptr;
}
static void on_task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *created, int flags,
                           int has_dependences, const void *codeptr) {
  (void)task, (void)frame, (void)created, (void)flags, (void)has_dependences, (void)codeptr;
}
static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  (void)prior, (void)status, (void)next;
}
static double no_time(void) { return 0; }

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  const char *which = getenv("CALLBACK");
  if (strcmp(which, "named") == 0) ((ompt_chunk_name_loops_t)lookup("ompt_chunk_name_loops"))(1);
  if (strcmp(which, "loops") == 0 || strcmp(which, "named") == 0) set(ompt_callback_work, (ompt_callback_t)on_work);
  if (strcmp(which, "dispatch") == 0 || strcmp(which, "loops") == 0)
    set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  if (strcmp(which, "clock") == 0 || strcmp(which, "creation") == 0)
    set(ompt_callback_tool_time, (ompt_callback_t)no_time);
  if (strcmp(which, "chunk") == 0 || strcmp(which, "clock") == 0) set(ompt_callback_chunk, (ompt_callback_t)on_chunk);
  if (strcmp(which, "sub-block") == 0) set(ompt_callback_sub_block, (ompt_callback_t)on_sub_block);
  if (strcmp(which, "creation") == 0) set(ompt_callback_task_creation, (ompt_callback_t)on_creation);
  if (strcmp(which, "tasks") == 0) {
    set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
    set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
  }
  return 1;
}
static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return getenv("CALLBACK") ? &result : NULL;
}
