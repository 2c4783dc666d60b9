/* A tool that changes its mind all the time, while loops run. */
#include <omp-tools.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include "ompt-chunk.h"

static unsigned long events;
static ompt_set_callback_t set;

static void nothing(void) { __atomic_fetch_add(&events, 1, __ATOMIC_RELAXED); }

static void *flip(void *unused) {
  (void)unused;
  /* What the shim itself sends: stock runtimes crash where one of their own is taken away. */
  const ompt_callbacks_t ours[] = {ompt_callback_dispatch, ompt_callback_chunk, ompt_callback_loop};
  for (unsigned round = 0;; round++) {
    set(ours[round % 3], round / 3 % 2 ? (ompt_callback_t)nothing : NULL);
    struct timespec pause = {0, 30000};
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_implicit_task, (ompt_callback_t)nothing);
  pthread_t thread;
  return set && !pthread_create(&thread, NULL, flip, NULL);
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
