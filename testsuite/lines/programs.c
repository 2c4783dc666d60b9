//--- stepped.c
// Stepped through in a debugger: how often a line is reached, and with which arguments a function is entered, must
// be as without the plugin.
static double a[100];

void orphan(int n, int k) {
#pragma omp for schedule(static, 4)
  for (int i = 0; i < n; i++)
    a[i] += k;
#pragma omp for schedule(static)
  for (int i = 0; i < n; i++)
    a[i] *= k;
#pragma omp for schedule(dynamic, 4)
  for (int i = 0; i < n; i++)
    a[i] -= k;
}

int main(void) {
  orphan(9, 2);
  return a[8] == 2 ? 0 : 1;
}
//--- tool.c
// Listens to everything that instrumented code tells of, and says at the end how many chunks and tasks there were.
#include "ompt-chunk.h"

#include <stdatomic.h>
#include <stdio.h>

static atomic_int chunks, tasks;

static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration, int is_last) {
  (void)task, (void)lower, (void)upper, (void)create_duration, (void)is_last;
  chunks++;
}
static void on_creation(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *created, int flags,
                        int has_dependences, double duration, const void *codeptr) {
  (void)task, (void)frame, (void)created, (void)flags, (void)has_dependences, (void)duration, (void)codeptr;
  tasks++;
}
static double no_time(void) { return 0; }

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_tool_time, (ompt_callback_t)no_time);
  set(ompt_callback_chunk, (ompt_callback_t)on_chunk);
  set(ompt_callback_task_creation, (ompt_callback_t)on_creation);
  return 1;
}
static void finalize(ompt_data_t *data) {
  (void)data;
  fprintf(stderr, "chunks=%d tasks=%d\n", chunks, tasks);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
