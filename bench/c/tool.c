/* The tool of the benchmark: an empty chunk callback, or one that counts while it is asked to.
 * omp-tools.h is not included: some clangs have none; these are its types, as far as they matter. */
#include <stdint.h>

typedef union {
  uint64_t value;
  void *ptr;
} ompt_data_t;
typedef void (*ompt_callback_t)(void);
typedef ompt_callback_t (*ompt_function_lookup_t)(const char *name);
typedef int (*ompt_set_callback_t)(int event, ompt_callback_t callback);
typedef struct {
  int (*initialize)(ompt_function_lookup_t lookup, int device, ompt_data_t *data);
  void (*finalize)(ompt_data_t *data);
  ompt_data_t data;
} ompt_start_tool_result_t;

enum { CHUNK = 82 };

static ompt_set_callback_t set_callback;
static long events;

static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration, int is_last) {
  (void)task, (void)lower, (void)upper, (void)create_duration, (void)is_last;
}
static void count_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double create_duration, int is_last) {
  (void)task, (void)lower, (void)upper, (void)create_duration, (void)is_last;
  __atomic_fetch_add(&events, 1, __ATOMIC_RELAXED);
}

/* Counts from now on, or no more; what was counted. */
long bench_tool_count(int counting) {
  set_callback(CHUNK, (ompt_callback_t)(counting ? count_chunk : on_chunk));
  return __atomic_exchange_n(&events, 0, __ATOMIC_RELAXED);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  set_callback(CHUNK, (ompt_callback_t)on_chunk);
  return 1;
}
static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
