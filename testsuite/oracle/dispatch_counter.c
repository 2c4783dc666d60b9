/* A tool that knows nothing of ompchunk: it registers ompt_callback_dispatch and nothing else, and
 * prints at the end how many events came for each logical iteration 0 to 99.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ITERATIONS = 100 };

static atomic_int events, strange, per_iteration[ITERATIONS];

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  const ompt_dispatch_chunk_t *chunk = instance.ptr;
  events++;
  if (!parallel || !task || kind != ompt_dispatch_ws_loop_chunk || chunk->iterations != 1 ||
      chunk->start >= ITERATIONS)
    strange++;
  else
    per_iteration[chunk->start]++;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  int once = 0;
  for (int i = 0; i < ITERATIONS; i++) once += per_iteration[i] == 1;
  printf("%d dispatch events, %d strange, %d iterations exactly once\n", events, strange, once);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)omp_version, (void)runtime_version;
  return &result;
}
