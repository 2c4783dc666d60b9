//--- one.c
// One loop, long enough to be cut.
#include <stdio.h>

int main(void) {
  static double cells[5000];
  double sum = 0;
  for (int round = 0; round < 3; round++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < 5000; i++) {
      cells[i] = cells[i] * 0.5 + i;
      sum += cells[i];
    }
  }
  printf("%d\n", sum > 0);
  return 0;
}
//--- tool.c
// A tool that wants sub-blocks, or a thread of it that changes its mind about all events as fast as it can (FLIP). It prints how many
// sub-blocks it was told, and what was wrong with them: they do not follow each other on their thread.
#include "ompt-chunk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static ompt_set_callback_t set;
static atomic_ulong told, wrong;
static atomic_int stop;
static pthread_t flipper;
static int flips;

static _Thread_local uint64_t next;
static _Thread_local int inside;

static void on_sub_block(ompt_data_t *parallel, ompt_data_t *task, uint64_t lower, uint64_t iterations,
                         unsigned flags, const void *codeptr) {
  (void)parallel, (void)codeptr;
  atomic_fetch_add_explicit(&told, 1, memory_order_relaxed);
  int first = flags & ompt_sub_block_first;
  // Whoever comes and goes misses some, and an exception or a loop inside ends others.
  int follows = flips || first || !inside || lower == next;
  if (!task || iterations == 0 || !follows) atomic_fetch_add(&wrong, 1);
  next = lower + iterations;
  inside = !(flags & ompt_sub_block_last);
}
static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
  (void)parallel, (void)task, (void)kind, (void)instance;
  inside = 0;
}
static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration, int is_last) {
  (void)task, (void)lower, (void)upper, (void)is_last;
  if (create_duration < 0) atomic_fetch_add(&wrong, 1);
}
static double now(void) { return 1; }

static void *flip(void *unused) {
  for (unsigned turn = 0; !atomic_load(&stop); turn++) {
    set(ompt_callback_sub_block, turn & 1 ? (ompt_callback_t)on_sub_block : NULL);
    if (turn % 3 == 0) set(ompt_callback_dispatch, turn & 2 ? (ompt_callback_t)on_dispatch : NULL);
    if (turn % 7 == 0) set(ompt_callback_chunk, turn & 4 ? (ompt_callback_t)on_chunk : NULL);
    if (turn % 11 == 0) set(ompt_callback_tool_time, turn & 8 ? (ompt_callback_t)now : NULL);
    for (volatile unsigned wait = 0; wait < turn % 512;) wait++;
  }
  return unused;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  set = (ompt_set_callback_t)lookup("ompt_set_callback");
  flips = getenv("FLIP") != NULL;
  int answer = set(ompt_callback_sub_block, (ompt_callback_t)on_sub_block);
  set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  if (answer != ompt_set_sometimes) atomic_fetch_add(&wrong, 1000);
  ompt_get_callback_t get = (ompt_get_callback_t)lookup("ompt_get_callback");
  ompt_callback_t is = NULL;
  if (!get(ompt_callback_sub_block, &is) || is != (ompt_callback_t)on_sub_block) atomic_fetch_add(&wrong, 1000);
  if (flips) pthread_create(&flipper, NULL, flip, NULL);
  return 1;
}
static void finalize(ompt_data_t *data) {
  (void)data;
  if (flips) {
    atomic_store(&stop, 1);
    pthread_join(flipper, NULL);
  }
  fprintf(stderr, "told %lu, wrong %lu\n", told, wrong);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
