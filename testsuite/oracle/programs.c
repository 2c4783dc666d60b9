//--- dispatch_counter.c
/* A tool that knows nothing of ompchunk: it registers ompt_callback_dispatch and nothing else, and
 * prints at the end how many events came for each logical iteration 0 to 99.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ITERATIONS = 100 };

static atomic_int events, strange, per_iteration[ITERATIONS];

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  const ompt_dispatch_chunk_t *chunk = instance.ptr;
  events++;
  if (!parallel || !task || kind != ompt_dispatch_ws_loop_chunk || chunk->iterations != 1 ||
      chunk->start >= ITERATIONS)
    strange++;
  else
    per_iteration[chunk->start]++;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  int once = 0;
  for (int i = 0; i < ITERATIONS; i++) once += per_iteration[i] == 1;
  printf("%d dispatch events, %d strange, %d iterations exactly once\n", events, strange, once);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)omp_version, (void)runtime_version;
  return &result;
}
//--- oracle_tool.c
/* The oracle: an ordinary OMPT tool that writes down, per thread and in order, what the runtime and
 * ompchunk say and what the program really runs. It judges nothing; testsuite/src/oracle does.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The program calls the tool from its loop bodies through the pointer `oracle_hook` (program.h), so
 * that iterations and events stand in one sequence. The tool finds the pointer when it starts.
 *
 * Environment:
 *   ORACLE_LOG     file to write at finalisation; without it the tool declines
 *   ORACLE_EVENTS  what to register, of "dispatch,chunk,clock,loop,sub-block,task,creation" (task: with
 *                  the runtime's own events); default is everything
 *
 * Every line of the log is a letter and decimal numbers; src/log.rs explains them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompt-chunk.h"

enum { BLOCK = 1024, FIELDS = 7 };

typedef struct {
  char letter;
  uint64_t field[FIELDS];
} entry_t;

/* Entries never move, so the finaliser may read while a worker that the runtime is shutting down
 * still appends. */
typedef struct block {
  entry_t entry[BLOCK];
  atomic_uint used;
  _Atomic(struct block *) next;
} block_t;

typedef struct thread {
  block_t *first, *last;
  struct thread *next;
  uint64_t ticks;
} thread_t;

static _Atomic(thread_t *) threads;
static __thread thread_t *self;
static atomic_uint_least64_t ids = 1;
static const char *log_path;
static FILE *log_file;
static ompt_set_callback_t set_callback;
static ompt_chunk_get_loop_t get_loop;
static ompt_chunk_get_variable_t get_variable;
static ompt_chunk_get_section_t get_section;

/* The clock counts its own readings. Everything else that happens on the thread is worth this many
 * ticks, so an interval that contains an iteration or another event cannot be taken for bookkeeping. */
enum { TICKS_PER_ENTRY = 1000 };

static thread_t *me(void) {
  if (!self) {
    thread_t *made = calloc(1, sizeof *made);
    made->first = made->last = calloc(1, sizeof(block_t));
    made->next = atomic_load(&threads);
    while (!atomic_compare_exchange_weak(&threads, &made->next, made)) ;
    self = made;
  }
  return self;
}

static void put(char letter, const uint64_t *field, size_t n) {
  thread_t *thread = me();
  block_t *block = thread->last;
  unsigned used = atomic_load_explicit(&block->used, memory_order_relaxed);
  if (used == BLOCK) {
    block_t *more = calloc(1, sizeof *more);
    atomic_store_explicit(&block->next, more, memory_order_release);
    thread->last = block = more;
    used = 0;
  }
  entry_t *entry = &block->entry[used];
  entry->letter = letter;
  memcpy(entry->field, field, n * sizeof *field);
  atomic_store_explicit(&block->used, used + 1, memory_order_release);
  thread->ticks += TICKS_PER_ENTRY;
}

#define PUT(letter, ...)                                                                           \
  put(letter, (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* A datum nobody gave a value, or no datum at all, is 0; ids start at 1. */
static uint64_t value(const ompt_data_t *data) { return data ? data->value : 0; }
static uint64_t address(const ompt_data_t *data) { return (uint64_t)(uintptr_t)data; }
static uint64_t new_id(void) { return atomic_fetch_add(&ids, 1); }

static void on_parallel_begin(ompt_data_t *encountering_task, const ompt_frame_t *frame,
                              ompt_data_t *parallel, unsigned requested, int flags,
                              const void *codeptr) {
  (void)encountering_task, (void)frame, (void)requested, (void)flags, (void)codeptr;
  parallel->value = new_id();
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                             ompt_data_t *task, unsigned team, unsigned index, int flags) {
  if (endpoint == ompt_scope_begin) {
    task->value = new_id();
    /* Runtimes neither announce a league of one team nor clear its datum, so the value would be that of
     * the league before. */
    int alone = (flags & ompt_task_initial) && team == 1;
    if (parallel && (alone || !parallel->value)) parallel->value = new_id();
    PUT('B', value(task), address(task), value(parallel), address(parallel), team, index, flags);
  } else {
    PUT('E', value(task));
  }
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, uint64_t count, const void *codeptr) {
  PUT(endpoint == ompt_scope_begin ? 'W' : 'w', kind, value(parallel), value(task), count,
      (uint64_t)(uintptr_t)codeptr);
}

static void on_loop(ompt_loop_sched_t sched, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, int is_iter_signed, int64_t step, const void *codeptr) {
  PUT('L', endpoint, sched, value(parallel), value(task), is_iter_signed, step,
      (uint64_t)(uintptr_t)codeptr);
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  uint64_t start = 0, iterations = 0;
  if (kind == ompt_dispatch_ws_loop_chunk || kind == ompt_dispatch_distribute_chunk) {
    const ompt_dispatch_chunk_t *chunk = instance.ptr;
    start = chunk->start, iterations = chunk->iterations;
  } else if (kind == ompt_dispatch_section && get_section && get_section(&start)) {
    iterations = 1;
  }
  PUT('D', kind, value(parallel), address(parallel), value(task), address(task), start, iterations);
}

static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration,
                     int is_last_chunk) {
  uint64_t duration;
  memcpy(&duration, &create_duration, sizeof duration);
  PUT('C', value(task), address(task), lower, upper, is_last_chunk, duration);
  if (get_loop && get_variable) {
    const ompt_chunk_loop_t *loop = get_loop();
    int64_t start = 0, step = 0;
    int known = get_variable(&start, &step);
    PUT('V', known, start, step, loop ? loop->variable_bits : 0);
  }
}

static void on_sub_block(ompt_data_t *parallel, ompt_data_t *task, uint64_t lower, uint64_t iterations,
                         unsigned flags, const void *codeptr) {
  PUT('K', value(parallel), value(task), lower, iterations, flags, (uint64_t)(uintptr_t)codeptr);
}

/* Only explicit tasks: others nobody creates in the program. */
static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                           int has_dependences, const void *codeptr) {
  if (!(flags & ompt_task_explicit)) return;
  task->value = new_id();
  PUT('N', value(parent), (uint64_t)(uintptr_t)frame, task->value, flags, has_dependences,
      (uint64_t)(uintptr_t)codeptr);
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  PUT('X', value(prior), status, value(next));
}

static void on_creation(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                        int has_dependences, double event_duration, const void *codeptr) {
  uint64_t duration;
  memcpy(&duration, &event_duration, sizeof duration);
  PUT('G', value(parent), (uint64_t)(uintptr_t)frame, value(task), flags, has_dependences,
      (uint64_t)(uintptr_t)codeptr, duration);
}

static double on_clock(void) { return (double)++me()->ticks; }

static void on_iteration(unsigned loop, unsigned long index, unsigned long trip,
                         const uint64_t *value) {
  PUT('I', loop, index, trip, value != NULL, value ? *value : 0);
}

static void write_log(void) {
  unsigned n = 0;
  for (thread_t *thread = atomic_load(&threads); thread; thread = thread->next) {
    fprintf(log_file, "T %u\n", n++);
    for (block_t *block = thread->first; block;
         block = atomic_load_explicit(&block->next, memory_order_acquire)) {
      unsigned used = atomic_load_explicit(&block->used, memory_order_acquire);
      for (unsigned i = 0; i < used; i++) {
        const entry_t *entry = &block->entry[i];
        fprintf(log_file, "%c", entry->letter);
        for (int f = 0; f < FIELDS; f++) fprintf(log_file, " %" PRIu64, entry->field[f]);
        fputc('\n', log_file);
      }
    }
  }
  fputs("end\n", log_file); /* an interrupted log must not pass for a short one */
  fclose(log_file);
}

static int wants(const char *event) {
  const char *events = getenv("ORACLE_EVENTS");
  return !events || strstr(events, event);
}

static void set(int event, void *callback) {
  fprintf(log_file, "S %d %d\n", event, set_callback(event, (ompt_callback_t)callback));
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  log_file = fopen(log_path, "w");
  if (!log_file) return 0;
  set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_parallel_begin, on_parallel_begin);
  set(ompt_callback_implicit_task, on_implicit_task);
  set(ompt_callback_work, on_work);
  if (wants("dispatch")) set(ompt_callback_dispatch, on_dispatch);
  if (wants("clock")) set(ompt_callback_tool_time, on_clock);
  if (wants("chunk")) set(ompt_callback_chunk, on_chunk);
  if (wants("loop")) set(ompt_callback_loop, on_loop);
  if (wants("sub-block")) set(ompt_callback_sub_block, on_sub_block);
  if (wants("task")) {
    set(ompt_callback_task_create, on_task_create);
    set(ompt_callback_task_schedule, on_task_schedule);
  }
  if (wants("task") || wants("creation")) set(ompt_callback_task_creation, on_creation);
  get_loop = (ompt_chunk_get_loop_t)lookup("ompt_chunk_get_loop");
  get_variable = (ompt_chunk_get_variable_t)lookup("ompt_chunk_get_variable");
  get_section = (ompt_chunk_get_section_t)lookup("ompt_chunk_get_section");
  void (**hook)(unsigned, unsigned long, unsigned long, const uint64_t *) = dlsym(RTLD_DEFAULT, "oracle_hook");
  if (hook) *hook = on_iteration;
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  write_log();
}

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)omp_version, (void)runtime_version;
  log_path = getenv("ORACLE_LOG");
  return log_path ? &result : NULL;
}
//--- section_counter.c
/* A tool that knows nothing of ompchunk: it registers ompt_callback_dispatch and nothing else. It prints how many events
 * came, and for each section its number and line, as the program tells them, and where the address of its events is in the
 * program. An event is strange if it is followed by no section, or not by the one that its address stood for before.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include <stdint.h>
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SECTIONS = 5 };

static atomic_int events, strange, lines[SECTIONS];
static _Atomic(void *) code[SECTIONS];
static _Thread_local void *told;

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  events++;
  strange += !parallel || !task || kind != ompt_dispatch_section || told;
  told = instance.ptr;
}

static void on_section(int section, int line) {
  void *known = NULL;
  if (!atomic_compare_exchange_strong(&code[section], &known, told)) strange += known != told;
  strange += !told;
  lines[section] = line;
  told = NULL;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  void (**hook)(int, int) = dlsym(RTLD_DEFAULT, "section_hook");
  if (hook) *hook = on_section;
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  printf("%d events, %d strange\n", events, strange);
  for (int section = 0; section < SECTIONS; section++) {
    Dl_info program = {0};
    dladdr(code[section], &program);
    printf("%d %d 0x%tx\n", section, lines[section],
           (char *)code[section] - (char *)program.dli_fbase);
  }
}

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)omp_version, (void)runtime_version;
  return &result;
}
