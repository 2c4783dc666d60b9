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
typedef start_fn *begin_fn(struct frame *, const ompt_chunk_loop_t *, const void *ident, int32_t gtid,
                           void *lower, void *upper, void *stride, int32_t *last);

struct module {
  uint64_t magic;
  uint32_t abi_version, size;
  _Atomic(_Atomic uint32_t *) state;
  _Atomic(begin_fn *) begin;
  _Atomic uint32_t unresolved, nobody;
  void *runtime[12], *deinit;
};

struct frame {
  uint32_t on;
  int32_t thread;
  void (*chunk)(struct frame *, uint64_t lower, uint64_t upper, uint32_t is_last);
  void (*bookkeeping)(struct frame *);
  void (*ready)(struct frame *);
  uint32_t (*leave)(struct frame *, const ompt_chunk_loop_t *);
  struct module *module;
  uint64_t shim[22];
} __attribute__((aligned(16)));

typedef uint32_t connect_fn(struct module *);
extern connect_fn __ompchunk_connect __attribute__((weak));

static struct module module;

/* Of tasks, `ident` is the module. */
static start_fn *resolve(struct frame *frame, const ompt_chunk_loop_t *the_loop, const void *ident,
                         int32_t gtid, void *lower, void *upper, void *stride, int32_t *last) {
  connect_fn *connect = __ompchunk_connect;
  if (!connect || connect(&module) != 0) {
    _Atomic uint32_t *first = &module.unresolved;
    if (atomic_compare_exchange_strong(&module.state, &first, &module.nobody))
      return NULL;
  }
  begin_fn *begin = atomic_load(&module.begin);
  return begin == resolve ? NULL : begin(frame, the_loop, ident, gtid, lower, upper, stride, last);
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
  return begin(frame, the_loop, the_loop ? ident : &module, gtid, NULL, NULL, NULL, NULL) != NULL;
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
    if (frame.on & 1)
      frame.chunk(&frame, (uint64_t)(int64_t)lower, (uint64_t)(int64_t)upper, (uint32_t)is_last);
    body(lower, upper, is_last);
    if (frame.on & 2)
      frame.bookkeeping(&frame);
    if (the_loop->schedule == SCHED_STATIC)
      break;
    lower += stride;
    upper += stride;
  }
  if (frame.on)
    frame.leave(&frame, NULL);
  __kmpc_for_static_fini(&where, gtid);
}

static void say_ran(unsigned line, int lower, int upper, int is_last) {
  printf("ran loop=%u team=%d thread=%d lower=%d upper=%d last=%d\n", line, omp_get_team_num(),
         omp_get_thread_num(), lower, upper, is_last);
}
#endif
