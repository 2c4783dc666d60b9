/* chunk-balance - an OMPT tool that reports, per loop and thread, how the work was dealt.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Written at the end to stderr, or to the file that CHUNK_BALANCE_FILE names.
 *
 *   runs         executions of the loop in which the thread took part, with or without iterations
 *   chunks       chunk events that the thread received
 *   iterations   their sum of iterations
 *   busy         from each chunk event to the thread's next event of that loop, which is the next
 *                chunk's, or the end of the loop. The time spent in this tool is not in it. Without
 *                ompchunk the runtime reports a static loop's first chunk only, so busy time is still
 *                right in sum, but all of it falls to that one event.
 *   longest      the longest such time
 *   bookkeeping  what the compiled code spent between chunks, as ompchunk measured it with this
 *                tool's clock; it contains one reading of the clock per chunk, and busy contains it.
 *   imbalance    of a loop: the busiest thread's time over the mean of all threads that took part,
 *                less one. 0 %: all equally busy; 100 %: the busiest needs twice the mean.
 *
 * Threads are told apart by their number in the team; teams that run the same loop side by side
 * (nested parallelism) are added up.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chunk-tool.h"

enum { BUCKETS = 256, DISPATCH = 1, CHUNK = 2 };

/* One row of the report while it is being counted. */
typedef struct row {
  struct row *next;
  running who; /* the loop, and the thread's number */
  double first_seen;
  uint64_t runs, chunks, iterations;
  double busy, longest, bookkeeping;
} row;

/* A chunk that the thread is executing. */
typedef struct open_chunk {
  row *counts;
  double since; /* 0: none */
  uint64_t lower;
  int events; /* which of the two events told of it: DISPATCH, CHUNK */
} open_chunk;

typedef struct counts {
  row *buckets[BUCKETS];
  open_chunk open[MAX_DEPTH]; /* beside thread.stack */
} counts;

static FILE *out;
static const char *runtime = "";
static bool have_chunk_events;
static _Atomic uint64_t outside; /* events that belong to no loop that the runtime announced */

/* What makes two executions the same loop: the record if there is one, else the call site. */
static const void *identity(const running *r) { return r->loop ? (const void *)r->loop : r->code; }

static row *row_of(counts *c, const running *r, double now) {
  uintptr_t key = (uintptr_t)identity(r);
  row **bucket = &c->buckets[(key ^ key >> 8 ^ key >> 16) % BUCKETS];
  for (row *w = *bucket; w; w = w->next)
    if (identity(&w->who) == identity(r) && w->who.thread_num == r->thread_num)
      return w;
  row *w = calloc(1, sizeof *w);
  if (w) {
    w->who = *r;
    w->first_seen = now;
    w->next = *bucket;
    *bucket = w;
  }
  return w;
}

static void close_chunk(open_chunk *o, double now) {
  if (o->since != 0 && o->counts) {
    double busy = now - o->since;
    o->counts->busy += busy;
    if (busy > o->counts->longest)
      o->counts->longest = busy;
  }
  o->since = 0;
}

static void on_work(ompt_work_t work, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, uint64_t count, const void *code) {
  double now = nanoseconds();
  (void)parallel, (void)task, (void)count;
  thread *t = this_thread(sizeof(counts));
  if (!t)
    return;
  counts *c = t->own;
  if (endpoint == ompt_scope_begin) {
    running *r = begin_loop(t, work, code);
    if (r) {
      row *w = row_of(c, r, now);
      c->open[t->depth - 1] = (open_chunk){.counts = w};
      if (w)
        w->runs++;
    }
  } else if (endpoint == ompt_scope_end) {
    running *r = current_loop(t);
    if (end_loop(t, work) && r)
      close_chunk(&c->open[t->depth], now);
  }
}

/* The loop that a chunk event came from turned out to be instrumented: the thread runs the same loop
 * inside itself (recursion). What was counted of this execution moves to the loop's own row. */
static void recount(counts *c, running *r, open_chunk *o, bool chunk_counted, uint64_t iterations,
                    double now) {
  row *before = o->counts;
  loop_is_instrumented(r);
  o->counts = row_of(c, r, now);
  if (!before || !o->counts)
    return;
  before->runs--;
  o->counts->runs++;
  if (chunk_counted) {
    before->chunks--;
    before->iterations -= iterations;
    o->counts->chunks++;
    o->counts->iterations += iterations;
  }
}

/* A chunk begins. With ompchunk two events tell of each, in either order: the second one adds
 * nothing but its bookkeeping time. */
static void on_event(int event, uint64_t lower, uint64_t iterations, double bookkeeping, double now) {
  thread *t = this_thread(sizeof(counts));
  running *r = t ? current_loop(t) : NULL;
  if (!r) {
    outside++;
    return;
  }
  counts *c = t->own;
  open_chunk *o = &c->open[t->depth - 1];
  bool second = o->since != 0 && o->lower == lower && !(o->events & event);
  if (event == CHUNK && !r->loop)
    recount(c, r, o, second, iterations, now);
  if (second) {
    o->events |= event;
  } else {
    close_chunk(o, now);
    o->lower = lower;
    o->events = event;
    if (o->counts) {
      o->counts->chunks++;
      o->counts->iterations += iterations;
    }
  }
  if (o->counts)
    o->counts->bookkeeping += bookkeeping;
  o->since = nanoseconds();
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  double now = nanoseconds();
  (void)parallel, (void)task;
  const ompt_dispatch_chunk_t *chunk = instance.ptr;
  if (chunk && (kind == ompt_dispatch_ws_loop_chunk || kind == ompt_dispatch_distribute_chunk))
    on_event(DISPATCH, chunk->start, chunk->iterations, 0, now);
}

static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration,
                     int is_last) {
  double now = nanoseconds();
  (void)task, (void)is_last;
  on_event(CHUNK, (uint64_t)lower, (uint64_t)upper - (uint64_t)lower + 1, create_duration, now);
}

static int by_loop_and_thread(const void *a, const void *b) {
  const row *x = a, *y = b;
  if (identity(&x->who) != identity(&y->who))
    return x->first_seen < y->first_seen ? -1 : 1;
  return x->who.thread_num - y->who.thread_num;
}

static void add(row *sum, const row *w) {
  sum->runs += w->runs;
  sum->chunks += w->chunks;
  sum->iterations += w->iterations;
  sum->busy += w->busy;
  sum->bookkeeping += w->bookkeeping;
  if (w->longest > sum->longest)
    sum->longest = w->longest;
}

static void print_row(const char *label, const row *w) {
  fprintf(out, "%8s %7" PRIu64 " %8" PRIu64 " %12" PRIu64 " %11.3f %11.3f %14.3f", label, w->runs,
          w->chunks, w->iterations, w->busy / 1e6, w->longest / 1e6, w->bookkeeping / 1e3);
}

/* The rows of one loop. */
static void print_loop(const row *w, size_t n, size_t number) {
  char name[NAME_SIZE], schedule[NAME_SIZE], label[16];
  loop_name(name, &w->who);
  loop_schedule(schedule, &w->who);
  fprintf(out, "\nloop %zu  %s  %s", number, name, schedule);
  if (w->who.loop)
    fprintf(out, "  in %s", ompt_chunk_loop_function(w->who.loop));
  fprintf(out, "\n  thread    runs   chunks   iterations     busy ms  longest ms bookkeeping us\n");
  row sum = {0};
  double busiest = 0;
  for (size_t k = 0; k < n; k++) {
    snprintf(label, sizeof label, "%d", w[k].who.thread_num);
    print_row(label, &w[k]);
    fputc('\n', out);
    add(&sum, &w[k]);
    if (w[k].busy > busiest)
      busiest = w[k].busy;
  }
  print_row("all", &sum);
  if (sum.busy > 0)
    fprintf(out, "  imbalance %.1f %%", (busiest * n / sum.busy - 1) * 100);
  fputc('\n', out);
}

/* Several threads of the operating system may have had the same number in their teams: one row. And
 * all rows of a loop get the time at which its first one was seen, so that sorting by time keeps the
 * loop together. */
static size_t merge(row *all, size_t n) {
  size_t kept = 0;
  for (size_t k = 0; k < n; k++) {
    size_t same = 0;
    while (same < kept && (identity(&all[same].who) != identity(&all[k].who) ||
                           all[same].who.thread_num != all[k].who.thread_num))
      same++;
    if (same < kept)
      add(&all[same], &all[k]);
    else
      all[kept++] = all[k];
    if (all[k].first_seen < all[same].first_seen)
      all[same].first_seen = all[k].first_seen;
  }
  for (size_t k = 0; k < kept; k++)
    for (size_t l = 0; l < kept; l++)
      if (identity(&all[k].who) == identity(&all[l].who) &&
          all[l].first_seen < all[k].first_seen)
        all[k].first_seen = all[l].first_seen;
  return kept;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  size_t n = 0, loops = 0;
  for (thread *t = all_threads(); t; t = t->next)
    for (int b = 0; b < BUCKETS; b++)
      for (row *w = ((counts *)t->own)->buckets[b]; w; w = w->next)
        n++;
  row *all = malloc((n ? n : 1) * sizeof *all);
  if (!all) {
    fprintf(stderr, "chunk-balance: out of memory for the report\n");
    return;
  }
  n = 0;
  for (thread *t = all_threads(); t; t = t->next)
    for (int b = 0; b < BUCKETS; b++)
      for (row *w = ((counts *)t->own)->buckets[b]; w; w = w->next)
        if (w->runs || w->chunks)
          all[n++] = *w;
  n = merge(all, n);
  qsort(all, n, sizeof *all, by_loop_and_thread);
  fprintf(out, "chunk-balance: chunk events from %s; %s\n",
          have_chunk_events ? "ompchunk and the runtime" : "the runtime alone", runtime);
  for (size_t from = 0, to; from < n; from = to) {
    for (to = from; to < n && identity(&all[to].who) == identity(&all[from].who);)
      to++;
    print_loop(&all[from], to - from, ++loops);
  }
  if (!loops)
    fprintf(out, "no loop was reported\n");
  if (outside)
    fprintf(out, "%" PRIu64 " events belonged to no loop that the runtime announced\n", outside);
  fflush(out);
  free(all);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  out = chunk_tool_output("CHUNK_BALANCE_FILE");
  chunk_tool_start(lookup);
  have_chunk_events = chunk_tool_set(ompt_callback_chunk, (ompt_callback_t)on_chunk);
  if (have_chunk_events)
    chunk_tool_set(ompt_callback_tool_time, (ompt_callback_t)nanoseconds);
  if (!chunk_tool_set(ompt_callback_work, (ompt_callback_t)on_work) ||
      !chunk_tool_set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch)) {
    fprintf(stderr, "chunk-balance: this OpenMP runtime reports no loops\n");
    return 0;
  }
  return 1;
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t tool = {.initialize = initialize, .finalize = finalize};
  (void)omp_version;
  if (runtime_version)
    runtime = runtime_version;
  return &tool;
}
