/* chunk-print - an OMPT tool that prints each event of a loop as a line.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lines go to stderr, or to the file that CHUNK_PRINT_FILE names. The lines of one thread are in
 * order; those of several threads come in blocks, because each thread collects its own and writes
 * them when its buffer is full and at the end.
 *
 * `dispatch` is the event of the OpenMP specification, any runtime sends it; `chunk` is the extension
 * event of ompchunk. Both count iterations from 0; where the loop's first value and step are known
 * at compile time, the user's own values stand beside them.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "chunk-tool.h"

enum { BUFFER = 1 << 16, LINE = 2 * NAME_SIZE };

typedef struct lines {
  size_t used;
  char text[BUFFER];
} lines;

static FILE *out;

static void flush(lines *l) {
  if (l->used)
    fwrite(l->text, 1, l->used, out); /* stdio locks the file: blocks do not mix */
  l->used = 0;
}

__attribute__((format(printf, 4, 5))) static void print(thread *t, const running *r,
                                                        const char *event, const char *format,
                                                        ...) {
  lines *l = t->own;
  if (l->used + LINE > BUFFER)
    flush(l);
  char name[NAME_SIZE];
  loop_name(name, r);
  char *line = l->text + l->used;
  int used = snprintf(line, LINE, "thread %d  %-8s  %s", r->thread_num, event, name);
  va_list rest;
  va_start(rest, format);
  if (used < LINE)
    used += vsnprintf(line + used, LINE - used, format, rest);
  va_end(rest);
  if (used > LINE - 2)
    used = LINE - 2;
  line[used] = '\n';
  l->used += used + 1;
}

/* "  i = 3..9" where the record knows the user's values. */
static const char *users(char text[64], const running *r, uint64_t first, uint64_t last) {
  const uint32_t known = ompt_chunk_start_known | ompt_chunk_step_known;
  text[0] = 0;
  if (r->loop && (r->loop->flags & known) == known)
    snprintf(text, 64, "  i = %" PRId64 "..%" PRId64, r->loop->start + (int64_t)first * r->loop->step,
             r->loop->start + (int64_t)last * r->loop->step);
  return text;
}

static void on_work(ompt_work_t work, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, uint64_t count, const void *code) {
  (void)parallel, (void)task, (void)count;
  thread *t = this_thread(sizeof(lines));
  if (!t)
    return;
  if (endpoint == ompt_scope_begin) {
    running *r = begin_loop(t, work, code);
    char schedule[NAME_SIZE];
    if (r) {
      loop_schedule(schedule, r);
      print(t, r, "begin", "  %s", schedule);
    }
  } else if (endpoint == ompt_scope_end) {
    running *r = current_loop(t);
    if (end_loop(t, work) && r)
      print(t, r, "end", "%s", "");
  }
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  (void)parallel, (void)task;
  if (kind != ompt_dispatch_ws_loop_chunk && kind != ompt_dispatch_distribute_chunk)
    return;
  thread *t = this_thread(sizeof(lines));
  running *r = t ? current_loop(t) : NULL;
  const ompt_dispatch_chunk_t *chunk = instance.ptr;
  char i[64];
  if (r && chunk && chunk->iterations)
    print(t, r, "dispatch", "  iterations %" PRIu64 "..%" PRIu64 "%s", chunk->start,
          chunk->start + chunk->iterations - 1,
          users(i, r, chunk->start, chunk->start + chunk->iterations - 1));
  else if (r && chunk)
    print(t, r, "dispatch", "  no iterations, at %" PRIu64, chunk->start);
}

static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration,
                     int is_last) {
  (void)task;
  thread *t = this_thread(sizeof(lines));
  running *r = t ? current_loop(t) : NULL;
  char i[64];
  if (!r)
    return;
  loop_is_instrumented(r);
  print(t, r, "chunk", "  iterations %" PRId64 "..%" PRId64 "%s%s  bookkeeping %.0f ns", lower, upper,
        users(i, r, lower, upper), is_last ? "  last" : "", create_duration);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  out = chunk_tool_output("CHUNK_PRINT_FILE");
  chunk_tool_start(lookup);
  if (chunk_tool_set(ompt_callback_chunk, (ompt_callback_t)on_chunk))
    chunk_tool_set(ompt_callback_tool_time, (ompt_callback_t)nanoseconds);
  if (!chunk_tool_set(ompt_callback_work, (ompt_callback_t)on_work) ||
      !chunk_tool_set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch)) {
    fprintf(stderr, "chunk-print: this OpenMP runtime reports no loops\n");
    return 0;
  }
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  for (thread *t = all_threads(); t; t = t->next)
    flush(t->own);
  fflush(out);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t tool = {.initialize = initialize, .finalize = finalize};
  (void)omp_version, (void)runtime_version;
  return &tool;
}
