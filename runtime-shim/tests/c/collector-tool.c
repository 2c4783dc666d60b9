/* An OMPT tool that counts the events before which a collector's shim stands, and prints the numbers at the end.
 *
 * TOOL_REFUSES: registers all the same, and then does not want to be one. TOOL_REGISTERS: registers again and again. */
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static ompt_set_callback_t set;
static ompt_get_callback_t get;
static atomic_long times[64];

#define COUNT(name) (void)atomic_fetch_add(&times[ompt_callback_##name], 1)
static void thread_begin(ompt_thread_t t, ompt_data_t *d) { (void)t, (void)d, COUNT(thread_begin); }
static void thread_end(ompt_data_t *d) { (void)d, COUNT(thread_end); }
static void parallel_begin(ompt_data_t *t, const ompt_frame_t *f, ompt_data_t *p, unsigned n, int g, const void *c) {
  (void)t, (void)f, (void)n, (void)g, (void)c, COUNT(parallel_begin);
  p->value = 4711;
}
static void again(void);
static void parallel_end(ompt_data_t *p, ompt_data_t *t, int g, const void *c) {
  (void)t, (void)g, (void)c, COUNT(parallel_end);
  if (p->value != 4711) fprintf(stderr, "the data of a region were changed\n");
  again();
}
static void implicit_task(ompt_scope_endpoint_t e, ompt_data_t *p, ompt_data_t *t, unsigned n, unsigned i, int g) {
  (void)t, (void)n, (void)i, COUNT(implicit_task);
  if (e == ompt_scope_begin && !(g & ompt_task_initial) && p->value != 4711)
    fprintf(stderr, "the data of a region are not what the tool wrote\n");
}
#define FOUR(name, kind)                                                                                               \
  static void name(kind k, ompt_scope_endpoint_t e, ompt_data_t *p, ompt_data_t *t, const void *c) {                   \
    (void)k, (void)e, (void)p, (void)t, (void)c, COUNT(name);                                                          \
  }
FOUR(sync_region_wait, ompt_sync_region_t)
FOUR(reduction, ompt_sync_region_t)
static void mutex_acquire(ompt_mutex_t k, unsigned h, unsigned i, ompt_wait_id_t w, const void *c) {
  (void)k, (void)h, (void)i, (void)w, (void)c, COUNT(mutex_acquire);
}
static void mutex_acquired(ompt_mutex_t k, ompt_wait_id_t w, const void *c) {
  (void)k, (void)w, (void)c, COUNT(mutex_acquired);
}
static void mutex_released(ompt_mutex_t k, ompt_wait_id_t w, const void *c) {
  (void)k, (void)w, (void)c, COUNT(mutex_released);
}
static void nest_lock(ompt_scope_endpoint_t e, ompt_wait_id_t w, const void *c) {
  (void)e, (void)w, (void)c, COUNT(nest_lock);
}
static void masked(ompt_scope_endpoint_t e, ompt_data_t *p, ompt_data_t *t, const void *c) {
  (void)e, (void)p, (void)t, (void)c, COUNT(masked);
}
static void work(ompt_work_t w, ompt_scope_endpoint_t e, ompt_data_t *p, ompt_data_t *t, uint64_t n, const void *c) {
  (void)w, (void)e, (void)p, (void)t, (void)n, (void)c, COUNT(work);
}

#define ALL(DO)                                                                                                        \
  DO(thread_begin) DO(thread_end) DO(parallel_begin) DO(parallel_end) DO(implicit_task) DO(sync_region_wait)           \
  DO(reduction) DO(mutex_acquire) DO(mutex_acquired) DO(mutex_released) DO(nest_lock) DO(masked) DO(work)

static void register_all(void) {
#define REGISTER(name)                                                                                                 \
  if (set(ompt_callback_##name, (ompt_callback_t)name) < ompt_set_sometimes)                                           \
    fprintf(stderr, #name " refused\n");
  ALL(REGISTER)
}
static void check_all(void) {
#define COMPARE(name)                                                                                                  \
  {                                                                                                                    \
    ompt_callback_t found = NULL;                                                                                      \
    if (!get(ompt_callback_##name, &found) || found != (ompt_callback_t)name)                                          \
      fprintf(stderr, #name " is not what was registered\n");                                                          \
  }
  ALL(COMPARE)
}
static void again(void) {
  if (getenv("TOOL_REGISTERS")) register_all();
  check_all();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get = (ompt_get_callback_t)lookup("ompt_get_callback");
  register_all();
  return !getenv("TOOL_REFUSES");
}
static void finalize(ompt_data_t *data) {
  (void)data;
#define PRINT(name) printf("tool event=" #name " times=%ld\n", times[ompt_callback_##name]);
  ALL(PRINT)
  fflush(stdout);
}
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}
