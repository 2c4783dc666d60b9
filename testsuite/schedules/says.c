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
