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
