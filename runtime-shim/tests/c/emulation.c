//--- emulate.h
/* What the compiler plugin emits, written by hand: module record, resolver, loop record, frame.
 *
 * Each file that includes this is one instrumented image; see the ompchunk-abi crate. */
#ifndef EMULATE_H
#define EMULATE_H
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include <omp.h>
#include <ompt-chunk.h>

#ifndef ABI_VERSION
#define ABI_VERSION 4
#endif

enum { LISTENING_LOOPS = 1, LISTENING_TASKS = 2 };

struct module;
struct frame;
typedef void start_fn(struct frame *, ...);
typedef start_fn *begin_fn(struct frame *, const ompt_chunk_loop_t *, const void *ident, int32_t gtid);

struct module {
  uint64_t magic;
  uint32_t abi_version, size;
  _Atomic(_Atomic uint32_t *) state;
  _Atomic(begin_fn *) begin;
  _Atomic uint32_t unresolved, nobody;
  void *runtime[12], *deinit, *entries[4], *enter[4], *asking;
};

struct frame {
  int32_t last;
  uint32_t on;
  uint64_t lower, upper, stride;
  void (*chunk)(struct frame *, uint64_t lower, uint64_t upper, uint32_t is_last);
  void (*bookkeeping)(struct frame *);
  void (*ready)(struct frame *);
  uint32_t (*leave)(struct frame *, uint32_t is_own_end);
  struct module *module;
  uint64_t shim[13];
} __attribute__((aligned(16)));

typedef uint32_t connect_fn(struct module *);
extern connect_fn __ompchunk_connect __attribute__((weak));

static struct module module;

/* Of tasks, `ident` is the module. */
static start_fn *resolve(struct frame *frame, const ompt_chunk_loop_t *the_loop, const void *ident,
                         int32_t gtid) {
  connect_fn *connect = __ompchunk_connect;
  if (!connect || connect(&module) != 0) {
    _Atomic uint32_t *first = &module.unresolved;
    if (atomic_compare_exchange_strong(&module.state, &first, &module.nobody))
      return NULL;
  }
  begin_fn *begin = atomic_load(&module.begin);
  return begin == resolve ? NULL : begin(frame, the_loop, ident, gtid);
}

static struct module module = {.magic = 0x6b6e756863706d6fu,
                               .abi_version = ABI_VERSION,
                               .size = sizeof(struct module),
                               .state = &module.unresolved,
                               .begin = resolve,
                               .unresolved = LISTENING_LOOPS | LISTENING_TASKS};

/* The note by which the shim finds the record. */
__attribute__((used)) static struct module *const kept = &module;
__asm__(".pushsection .note.ompchunk,\"a\",%note\n"
        ".balign 8\n"
        ".long 9, 8, 1\n"
        ".asciz \"ompchunk\"\n"
        ".balign 4\n"
        ".quad module - .\n"
        ".popsection\n");

/* Whether somebody is interested. The loop's bounds are not told, so the program itself calls the runtime. */
static int begin_loop(const ompt_chunk_loop_t *the_loop, struct frame *frame, const void *ident, int32_t gtid) {
  _Atomic uint32_t *word = atomic_load_explicit(&module.state, memory_order_acquire);
  uint32_t what = the_loop ? LISTENING_LOOPS : LISTENING_TASKS;
  frame->on = 0;
  frame->module = &module;
  if (!(atomic_load_explicit(word, memory_order_relaxed) & what))
    return 0;
  begin_fn *begin = atomic_load_explicit(&module.begin, memory_order_acquire);
  return begin(frame, the_loop, the_loop ? ident : &module, gtid) != NULL;
}

/* The runtime's side. */
typedef struct {
  int32_t reserved_1, flags, reserved_2, reserved_3;
  const char *source;
} ident;
extern int32_t __kmpc_global_thread_num(ident *);
extern void __kmpc_for_static_init_4(ident *, int32_t gtid, int32_t schedule, int32_t *last,
                                     int32_t *lower, int32_t *upper, int32_t *stride, int32_t incr,
                                     int32_t chunk);
extern void __kmpc_for_static_fini(ident *, int32_t gtid);

enum { SCHED_STATIC_CHUNKED = 33, SCHED_STATIC = 34, SCHED_DIST_CHUNKED = 91 };

/* One instrumented loop over 0..n-1 as clang lowers it. `body` runs per chunk. */
static void instrumented_loop(const ompt_chunk_loop_t *the_loop, int n, int chunk,
                              void (*body)(int lower, int upper, int is_last)) {
  ident where = {0, the_loop->construct == ompt_chunk_for ? 0x202 : 0x802, 0, 0, ";driver;loop;1;1;;"};
  int gtid = __kmpc_global_thread_num(&where);
  int last = 0, lower = 0, upper = n - 1, stride = 1, end = n - 1;
  struct frame frame;
  int listens = begin_loop(the_loop, &frame, &where, gtid);
  __kmpc_for_static_init_4(&where, gtid, (int32_t)the_loop->schedule, &last, &lower, &upper,
                           &stride, 1, chunk);
  if (listens)
    frame.ready(&frame);
  for (;;) {
    if (upper > end)
      upper = end;
    if (lower > upper)
      break;
    int is_last = the_loop->schedule == SCHED_STATIC || lower > end - stride;
    if (frame.on & 2)
      frame.chunk(&frame, (uint64_t)(int64_t)lower, (uint64_t)(int64_t)upper, (uint32_t)is_last);
    body(lower, upper, is_last);
    if (frame.on & 4)
      frame.bookkeeping(&frame);
    if (the_loop->schedule == SCHED_STATIC)
      break;
    lower += stride;
    upper += stride;
  }
  if (frame.on)
    frame.leave(&frame, 0);
  __kmpc_for_static_fini(&where, gtid);
}

static void say_ran(unsigned line, int lower, int upper, int is_last) {
  printf("ran loop=%u team=%d thread=%d lower=%d upper=%d last=%d\n", line, omp_get_team_num(),
         omp_get_thread_num(), lower, upper, is_last);
}
#endif
//--- driver.c
/* Runs loops named on the command line, each `kind:iterations:chunk:threads`, and prints each chunk
 * it really runs. The loop of argument k has source line k. */
#include "emulate.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void second_loop(unsigned line, int n, int chunk) __attribute__((weak));

static ompt_chunk_loop_t loops[64];
static _Thread_local const ompt_chunk_loop_t *here;

static void say(int lower, int upper, int is_last) { say_ran(here->line, lower, upper, is_last); }

static void run(const ompt_chunk_loop_t *the_loop, int n, int chunk,
                void (*body)(int, int, int)) {
  const ompt_chunk_loop_t *around = here;
  here = the_loop;
  instrumented_loop(the_loop, n, chunk, body);
  here = around;
}

/* Runs a loop of its own inside each chunk. */
static void nest(int lower, int upper, int is_last) {
  say(lower, upper, is_last);
  const ompt_chunk_loop_t *around = here;
#pragma omp parallel num_threads(1)
  run(around + 1, 3, 2, say);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  for (int k = 1; k < argc; k++) {
    char kind[32];
    int n = 0, chunk = 0, threads = 1;
    sscanf(argv[k], "%31[a-z]:%d:%d:%d", kind, &n, &chunk, &threads);
    ompt_chunk_loop_t *loop = &loops[k];
    *loop = (ompt_chunk_loop_t){.size = sizeof *loop,
                                .abi_version = 1,
                                .construct = ompt_chunk_for,
                                .bits = 32,
                                .flags = ompt_chunk_signed | ompt_chunk_chunked,
                                .schedule = SCHED_STATIC_CHUNKED,
                                .chunk = chunk,
                                .line = (uint32_t)k};
    loop[1] = *loop;
    loop[1].line = (uint32_t)k + 100;
    if (!strcmp(kind, "static")) {
#pragma omp parallel num_threads(threads)
      run(loop, n, chunk, say);
    } else if (!strcmp(kind, "orphaned")) {
      run(loop, n, chunk, say);
    } else if (!strcmp(kind, "whole")) {
      loop->schedule = SCHED_STATIC;
#pragma omp parallel num_threads(threads)
      run(loop, n, chunk, say);
    } else if (!strcmp(kind, "nested")) {
#pragma omp parallel num_threads(threads)
      run(loop, n, chunk, nest);
    } else if (!strcmp(kind, "distribute")) {
      loop->schedule = SCHED_DIST_CHUNKED;
      loop->construct = ompt_chunk_distribute;
#pragma omp teams num_teams(threads) thread_limit(1)
      run(loop, n, chunk, say);
    } else if (!strcmp(kind, "second")) {
#pragma omp parallel num_threads(threads)
      second_loop((unsigned)k, n, chunk);
    } else if (!strcmp(kind, "plain")) {
#pragma omp parallel for num_threads(threads) schedule(static, chunk)
      for (int i = 0; i < n; i++)
        if (i % chunk == 0) say_ran(0, i, i + chunk < n ? i + chunk - 1 : n - 1, 0);
    } else if (!strcmp(kind, "dynamic")) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, chunk)
      for (int i = 0; i < n; i++)
        if (i % chunk == 0) say_ran(0, i, i + chunk < n ? i + chunk - 1 : n - 1, 0);
    } else if (!strcmp(kind, "repeat")) { /* silent, many times */
      for (int times = 0; times < n; times++) {
#pragma omp parallel num_threads(threads)
        {
          void quiet(int, int, int);
          run(loop, 25, chunk, quiet);
        }
      }
    } else if (!strcmp(kind, "control")) {
      printf("control result=%d\n", omp_control_tool(n, 0, NULL));
    } else if (!strcmp(kind, "fork")) {
      fflush(stdout);
      if (fork() == 0) {
        run(loop, n, chunk, say);
        fflush(stdout);
        _exit(0);
      }
    } else if (!strcmp(kind, "state")) {
      printf("state listening=%u\n", *atomic_load(&module.state) & (LISTENING_LOOPS | LISTENING_TASKS));
    } else {
      fprintf(stderr, "unknown kind %s\n", kind);
      return 2;
    }
  }
  printf("done\n");
  return 0;
}

void quiet(int lower, int upper, int is_last) { (void)lower, (void)upper, (void)is_last; }
//--- serial.c
/* Two instrumented loops and one that is none, on a runtime of one thread. */
#include "emulate.h"

static const ompt_chunk_loop_t *here;
static void say(int lower, int upper, int is_last) { say_ran(here->line, lower, upper, is_last); }

int main(void) {
  static ompt_chunk_loop_t loops[2];
  for (unsigned k = 0; k < 2; k++) {
    here = &loops[k];
    loops[k] = (ompt_chunk_loop_t){.size = sizeof loops[k],
                                   .abi_version = ABI_VERSION,
                                   .construct = ompt_chunk_for,
                                   .bits = 32,
                                   .flags = ompt_chunk_signed | ompt_chunk_chunked,
                                   .schedule = k ? SCHED_STATIC : SCHED_STATIC_CHUNKED,
                                   .chunk = 10,
                                   .line = k + 1};
    instrumented_loop(&loops[k], 25, 10, say);
  }
  ident where = {0, 0x202, 0, 0, ";serial;loop;1;1;;"};
  int last = 0, lower = 0, upper = 6, stride = 1;
  __kmpc_for_static_init_4(&where, 0, SCHED_STATIC, &last, &lower, &upper, &stride, 1, 1);
  __kmpc_for_static_fini(&where, 0);
  printf("done\n");
  return 0;
}
//--- second.c
/* A shared library with instrumented code of its own. */
#include "emulate.h"

static _Thread_local unsigned current;
static void say(int lower, int upper, int is_last) { say_ran(current, lower, upper, is_last); }

void second_loop(unsigned line, int n, int chunk) {
  static ompt_chunk_loop_t loops[64];
  ompt_chunk_loop_t *loop = &loops[line];
  current = line;
  /* Each thread writes the same. */
#pragma omp critical
  *loop = (ompt_chunk_loop_t){.size = sizeof *loop,
                              .abi_version = 1,
                              .construct = ompt_chunk_for,
                              .bits = 32,
                              .flags = ompt_chunk_signed | ompt_chunk_chunked,
                              .schedule = SCHED_STATIC_CHUNKED,
                              .chunk = chunk,
                              .line = line};
  instrumented_loop(loop, n, chunk, say);
}
//--- guest.c
/* A shared library that is opened while a program runs: a parallel region with an instrumented loop, on the
 * runtime that the library is bound to. */
#include "emulate.h"

static _Thread_local unsigned current;
static void say(int lower, int upper, int is_last) { say_ran(current, lower, upper, is_last); }

void guest_loop(unsigned line, int n, int chunk, int threads) {
  static ompt_chunk_loop_t loops[64];
  ompt_chunk_loop_t *loop = &loops[line];
  *loop = (ompt_chunk_loop_t){.size = sizeof *loop,
                              .abi_version = 1,
                              .construct = ompt_chunk_for,
                              .bits = 32,
                              .flags = ompt_chunk_signed | ompt_chunk_chunked,
                              .schedule = SCHED_STATIC_CHUNKED,
                              .chunk = chunk,
                              .line = line};
#pragma omp parallel num_threads(threads)
  {
    current = line;
    instrumented_loop(loop, n, chunk, say);
  }
}

#ifdef LOOP_IN_CONSTRUCTOR
__attribute__((constructor)) static void begin(void) { guest_loop(50, 25, 10, 3); }
#endif
//--- emulated.c
/* A runtime of one thread that does what LLVM's may do next: it answers `ompt_set_sometimes` for dispatch events, and
 * reports chunks of serialized loops itself. EVENTS: how many for each loop. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>

extern ompt_start_tool_result_t *ompt_start_tool(unsigned, const char *) __attribute__((weak));

static const char version[] = "emulated OMP";
static ompt_start_tool_result_t *tool;
static ompt_callback_dispatch_t dispatch;
static ompt_data_t parallel_data, task_data;
static int events = 1;

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  if ((int)event > 40) return ompt_set_error;
  if (event != ompt_callback_dispatch) return ompt_set_always;
  dispatch = (ompt_callback_dispatch_t)callback;
  return ompt_set_sometimes;
}

static int get_callback(ompt_callbacks_t event, ompt_callback_t *callback) {
  *callback = (ompt_callback_t)dispatch;
  return event == ompt_callback_dispatch && dispatch;
}

static int get_task_info(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame,
                         ompt_data_t **parallel, int *thread_num) {
  *flags = ompt_task_implicit, *task = &task_data, *frame = NULL, *parallel = &parallel_data;
  *thread_num = 0;
  return level == 0 ? 2 : 0;
}

static ompt_interface_fn_t lookup(const char *name) {
  if (!strcmp(name, "ompt_set_callback")) return (ompt_interface_fn_t)set_callback;
  if (!strcmp(name, "ompt_get_callback")) return (ompt_interface_fn_t)get_callback;
  return strcmp(name, "ompt_get_task_info") ? NULL : (ompt_interface_fn_t)get_task_info;
}

int32_t __kmpc_global_thread_num(void *where) {
  static int begun;
  (void)where;
  if (begun++) return 0;
  if (getenv("EVENTS")) events = atoi(getenv("EVENTS"));
  tool = ompt_start_tool ? ompt_start_tool(202011, version) : NULL;
  if (tool && !tool->initialize(lookup, 0, &tool->tool_data)) tool = NULL;
  return 0;
}

__attribute__((destructor)) static void end(void) {
  if (tool) tool->finalize(&tool->tool_data);
}

/* The whole range is the one thread's, in one piece; a chunk is counted from its lower bound. */
void __kmpc_for_static_init_4(void *where, int32_t gtid, int32_t schedule, int32_t *last,
                              int32_t *lower, int32_t *upper, int32_t *stride, int32_t incr,
                              int32_t chunk) {
  (void)where, (void)gtid, (void)incr;
  ompt_dispatch_chunk_t told = {(uint64_t)*lower, (uint64_t)(*upper - *lower + 1)};
  *last = 1, *stride = *upper - *lower + 1;
  if (schedule == 33) *upper = *lower + chunk - 1, *stride = chunk;
  for (int k = 0; k < events && dispatch; k++)
    dispatch(&parallel_data, &task_data, ompt_dispatch_ws_loop_chunk, (ompt_data_t){.ptr = &told});
}

void __kmpc_for_static_fini(void *where, int32_t gtid) { (void)where, (void)gtid; }
void __kmpc_fork_call(void *where, int32_t count, void *body, ...) {
  (void)where, (void)count, (void)body;
}
int omp_get_thread_num(void) { return 0; }
int omp_get_team_num(void) { return 0; }
double omp_get_wtick(void) { return 1; }

/* Asked only where a schedule is changed. */
void __kmpc_dispatch_init_4(void *where, int32_t gtid, int32_t schedule, int32_t lower, int32_t upper,
                            int32_t stride, int32_t chunk) {
  (void)where, (void)gtid, (void)schedule, (void)lower, (void)upper, (void)stride, (void)chunk;
  abort();
}
int __kmpc_dispatch_next_4(void *where, int32_t gtid, int32_t *last, int32_t *lower, int32_t *upper,
                           int32_t *stride) {
  (void)where, (void)gtid, (void)last, (void)lower, (void)upper, (void)stride;
  abort();
}
