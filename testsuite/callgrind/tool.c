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
