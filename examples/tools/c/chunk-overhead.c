/* chunk-overhead - an OMPT tool that reports what scheduling costs: per loop the time between chunks, per task
 * construct the time to create its tasks. It uses every extension event of ompchunk, and nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Written at the end to stderr, or to the file that CHUNK_OVERHEAD_FILE names.
 *
 *   construct  where it stands, and of a loop the schedule that the runtime really used
 *   runs       how often a thread took part in the loop
 *   count      chunks, or tasks
 *   overhead   of a loop what the threads spent on getting chunks; of tasks what creating them took. Both by this
 *              tool's clock, so each contains one reading of it per chunk, about two per task; the first line
 *              says what one takes.
 *   each       the mean per chunk or task
 *   share      of a loop: of the time from its begin to its end, added up over threads and without the time spent
 *              in this tool's chunk callback; of tasks: of the program's run time
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chunk-tool.h"

enum { BUCKETS = 256 };

typedef struct row {
  struct row *next;
  const void *code;
  const ompt_chunk_loop_t *loop; /* NULL: tasks */
  unsigned sched;
  uint64_t runs, count;
  double overhead, time;
} row;

typedef struct open_loop {
  row *counts;
  double since, outside;
} open_loop;

typedef struct counts {
  row *buckets[BUCKETS];
  open_loop open[MAX_DEPTH];
  int depth;
} counts;

static FILE *out;
static ompt_chunk_get_loop_t get_loop;
static double began;

static row *row_of(row **buckets, const void *code, const ompt_chunk_loop_t *loop, unsigned sched) {
  uintptr_t key = (uintptr_t)(loop ? (const void *)loop : code);
  row **bucket = &buckets[(key ^ key >> 8 ^ key >> 16) % BUCKETS];
  for (row *r = *bucket; r; r = r->next)
    if (r->loop == loop && r->sched == sched && (loop || r->code == code))
      return r;
  row *r = calloc(1, sizeof *r);
  if (r) {
    *r = (row){.next = *bucket, .code = code, .loop = loop, .sched = sched};
    *bucket = r;
  }
  return r;
}

static void on_loop(ompt_loop_sched_t sched, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, int is_signed, int64_t step, const void *code) {
  (void)parallel, (void)task, (void)is_signed, (void)step;
  thread *t = this_thread(sizeof(counts));
  if (!t)
    return;
  counts *c = t->own;
  if (endpoint == ompt_scope_begin) {
    if (++c->depth > MAX_DEPTH)
      return;
    unsigned kind = (unsigned)sched & ~ompt_loop_sched_monotonic;
    open_loop *o = &c->open[c->depth - 1];
    *o = (open_loop){.counts = row_of(c->buckets, code, get_loop ? get_loop() : NULL, kind)};
    o->since = nanoseconds();
  } else if (c->depth > 0 && c->depth-- <= MAX_DEPTH) {
    open_loop *o = &c->open[c->depth];
    if (o->counts) {
      o->counts->runs++;
      o->counts->time += nanoseconds() - o->since - o->outside;
    }
  }
}

static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration, int is_last) {
  (void)task, (void)lower, (void)upper, (void)is_last;
  double now = nanoseconds();
  thread *t = this_thread(sizeof(counts));
  counts *c = t ? t->own : NULL;
  if (!c || c->depth < 1 || c->depth > MAX_DEPTH)
    return;
  open_loop *o = &c->open[c->depth - 1];
  if (o->counts) {
    o->counts->count++;
    o->counts->overhead += create_duration;
  }
  o->outside += nanoseconds() - now;
}

static void on_task_creation(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                             int has_dependences, double duration, const void *code) {
  (void)parent, (void)frame, (void)task, (void)flags, (void)has_dependences;
  thread *t = this_thread(sizeof(counts));
  row *r = t ? row_of(((counts *)t->own)->buckets, code, NULL, 0) : NULL;
  if (r) {
    r->count++;
    r->overhead += duration;
  }
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  out = chunk_tool_output("CHUNK_OVERHEAD_FILE");
  chunk_tool_start(lookup);
  get_loop = (ompt_chunk_get_loop_t)lookup("ompt_chunk_get_loop");
  if (!chunk_tool_set(ompt_callback_tool_time, (ompt_callback_t)nanoseconds) ||
      !chunk_tool_set(ompt_callback_loop, (ompt_callback_t)on_loop) ||
      !chunk_tool_set(ompt_callback_chunk, (ompt_callback_t)on_chunk)) {
    fprintf(stderr, "chunk-overhead: no extension events here; name libompchunk_rt.so before this tool\n");
    return 0;
  }
  if (!chunk_tool_set(ompt_callback_task_creation, (ompt_callback_t)on_task_creation))
    fprintf(stderr, "chunk-overhead: this OpenMP runtime reports no tasks\n");
  began = nanoseconds();
  return 1;
}

static int by_overhead(const void *a, const void *b) {
  const row *const *left = a, *const *right = b;
  return ((*left)->overhead < (*right)->overhead) - ((*left)->overhead > (*right)->overhead);
}

/* What one reading of the clock takes. */
static double clock_costs(void) {
  double least = 1e9;
  for (int k = 0; k < 1000; k++) {
    double before = nanoseconds(), after = nanoseconds();
    if (after - before < least)
      least = after - before;
  }
  return least;
}

static void print(const row *r, double run_time) {
  static const char *const schedules[] = {"tasks", "static", "dynamic", "guided", "other"};
  char name[NAME_SIZE], runs[32] = "";
  running place = {.code = r->code, .loop = r->loop};
  loop_name(name, &place);
  const char *schedule = r->loop && r->loop->construct == ompt_chunk_distribute ? "distribute"
                         : r->sched < 5                                         ? schedules[r->sched]
                                                                                : "other";
  if (r->loop)
    snprintf(runs, sizeof runs, "%" PRIu64, r->runs);
  double of = r->loop ? r->time : run_time;
  fprintf(out, "%-28s  %-10s %7s %10" PRIu64 " %12.3f %10.1f %7.2f %%\n", name, schedule, runs, r->count,
          r->overhead / 1e3, r->count ? r->overhead / (double)r->count : 0, of > 0 ? 100 * r->overhead / of : 0);
}

static void finalize(ompt_data_t *data) {
  (void)data;
  double run_time = nanoseconds() - began;
  row *sums[BUCKETS] = {0};
  size_t number = 0;
  for (thread *t = all_threads(); t; t = t->next)
    for (int b = 0; b < BUCKETS; b++)
      for (const row *r = ((counts *)t->own)->buckets[b]; r; r = r->next) {
        row *sum = row_of(sums, r->code, r->loop, r->sched);
        if (!sum)
          return;
        number += sum->runs + sum->count == 0;
        sum->runs += r->runs, sum->count += r->count;
        sum->overhead += r->overhead, sum->time += r->time;
      }
  row **sorted = calloc(number + 1, sizeof *sorted);
  size_t filled = 0;
  for (int b = 0; sorted && b < BUCKETS; b++)
    for (row *r = sums[b]; r; r = r->next)
      if (filled < number && r->runs + r->count > 0)
        sorted[filled++] = r;
  fprintf(out, "chunk-overhead: one reading of the clock takes %.0f ns\n\n", clock_costs());
  fprintf(out, "%-28s  %-10s %7s %10s %12s %10s %9s\n", "construct", "", "runs", "count", "overhead us", "each ns",
          "share");
  if (sorted)
    qsort(sorted, filled, sizeof *sorted, by_overhead);
  for (size_t k = 0; k < filled; k++)
    print(sorted[k], run_time);
  fflush(out);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)omp_version, (void)runtime_version;
  return &result;
}
