//--- host.c
/* Opens and closes libraries with instrumented loops, by the words of the command line:
 *
 *   open PATH, global PATH, deep PATH   dlopen with RTLD_LOCAL, RTLD_GLOBAL, RTLD_LOCAL | RTLD_DEEPBIND
 *   loop N CHUNK THREADS                the loop of the library opened last
 *   own N CHUNK THREADS                 a loop of the program's own, if it is built with OWN
 *   close                               of the library opened last
 *   set NAME VALUE, unset NAME          the environment
 *
 * A loop's line is the number of its word. */
#ifdef OWN
void guest_loop(unsigned line, int n, int chunk, int threads);
#endif
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void loop_fn(unsigned line, int n, int chunk, int threads);

static void *opened[64];
static int count;

static void open_library(const char *path, int flags) {
  void *library = dlopen(path, RTLD_NOW | flags);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  opened[count++] = library;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  for (int k = 1; k < argc; k++) {
    char **word = argv + k;
    if (!strcmp(*word, "open")) {
      open_library(word[1], RTLD_LOCAL), k++;
    } else if (!strcmp(*word, "global")) {
      open_library(word[1], RTLD_GLOBAL), k++;
    } else if (!strcmp(*word, "deep")) {
      open_library(word[1], RTLD_LOCAL | RTLD_DEEPBIND), k++;
    } else if (!strcmp(*word, "loop")) {
      loop_fn *loop = (loop_fn *)dlsym(opened[count - 1], "guest_loop");
      loop((unsigned)k, atoi(word[1]), atoi(word[2]), atoi(word[3])), k += 3;
#ifdef OWN
    } else if (!strcmp(*word, "own")) {
      guest_loop((unsigned)k, atoi(word[1]), atoi(word[2]), atoi(word[3])), k += 3;
#endif
    } else if (!strcmp(*word, "close")) {
      dlclose(opened[--count]);
    } else if (!strcmp(*word, "set")) {
      setenv(word[1], word[2], 1), k += 2;
    } else if (!strcmp(*word, "unset")) {
      unsetenv(word[1]), k++;
    } else {
      fprintf(stderr, "unknown word %s\n", *word);
      return 2;
    }
  }
  printf("done\n");
  return 0;
}
//--- tool.c
/* An OMPT tool for the tests. The words of TOOL_OPTIONS (environment, else compiled in) say what it
 * does; NAME tells several of them apart. Prints one line per event, on stdout. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ompt-chunk.h>

#ifndef NAME
#define NAME "tool"
#endif
#ifndef OPTIONS
#define OPTIONS "dispatch chunk clock"
#endif

/* A private runtime's are not to be found. */
int omp_get_thread_num(void) __attribute__((weak));
int omp_get_team_num(void) __attribute__((weak));

static ompt_set_callback_t ompt_set_callback;
static ompt_get_callback_t get_callback;
static ompt_get_task_info_t get_task_info;
static ompt_chunk_get_loop_t get_loop;
static int finalized;

static ompt_set_result_t set_callback(int event, ompt_callback_t callback) {
  return ompt_set_callback((ompt_callbacks_t)event, callback);
}

static int thread(void) {
  int flags, thread_num = -1;
  ompt_data_t *task, *parallel;
  ompt_frame_t *frame;
  if (omp_get_thread_num) return omp_get_thread_num();
  return get_task_info(0, &flags, &task, &frame, &parallel, &thread_num) == 2 ? thread_num : -1;
}

static int team(void) { return omp_get_team_num ? omp_get_team_num() : 0; }

static int option(const char *word) {
  const char *options = getenv("TOOL_OPTIONS");
  char padded[256], wanted[64];
  snprintf(padded, sizeof padded, " %s ", options ? options : OPTIONS);
  snprintf(wanted, sizeof wanted, " %s ", word);
  return strstr(padded, wanted) != NULL;
}

static int valid(const ompt_data_t *task, const ompt_data_t *parallel) {
  int flags, thread_num;
  ompt_data_t *my_task = NULL, *my_parallel = NULL;
  ompt_frame_t *frame;
  int answer = get_task_info(0, &flags, &my_task, &frame, &my_parallel, &thread_num);
  return answer == 2 && task == my_task && task && (!parallel || parallel == my_parallel) &&
         thread_num == thread() && !finalized;
}

static unsigned line(void) {
  const ompt_chunk_loop_t *loop = get_loop ? get_loop() : NULL;
  return loop ? loop->line : 0;
}

/* Ticks once per call and thread: the time between two calls in a row is 1. */
static double clock_ticks(void) {
  static _Thread_local double ticks;
  return ticks += 1;
}

static void set(int event, ompt_callback_t callback) {
  int result = set_callback(event, callback);
  ompt_callback_t back = NULL;
  int got = get_callback((ompt_callbacks_t)event, &back);
  printf("%s set event=%d on=%d result=%d got=%d same=%d\n", NAME, event, callback != NULL, result,
         got, back == callback);
}

static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double duration, int is_last);

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  if (option("silent")) return;
  const ompt_dispatch_chunk_t *chunk = instance.ptr;
  printf("%s dispatch loop=%u team=%d thread=%d kind=%d start=%lu iterations=%lu valid=%d\n", NAME,
         line(), team(), thread(), (int)kind, (unsigned long)chunk->start,
         (unsigned long)chunk->iterations, parallel && valid(task, parallel));
  if (option("inside")) {
    set_callback(ompt_callback_chunk, NULL);
    set_callback(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
    set_callback(ompt_callback_chunk, (ompt_callback_t)on_chunk);
  }
}

static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double duration,
                     int is_last) {
  if (option("silent")) return;
  printf("%s chunk loop=%u team=%d thread=%d lower=%ld upper=%ld duration=%.1f last=%d valid=%d\n",
         NAME, line(), team(), thread(), (long)lower, (long)upper, duration,
         is_last, valid(task, NULL));
  if (option("once")) set(ompt_callback_chunk, NULL);
  if (option("dispatch-from-chunk")) set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
}

static const void *began_at;
static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, uint64_t count, const void *codeptr) {
  if (option("silent")) return;
  if (endpoint == ompt_scope_begin) began_at = codeptr;
  printf("%s work loop=%u thread=%d kind=%d endpoint=%d count=%lu codeptr=%d valid=%d\n", NAME, line(),
         thread(), (int)kind, (int)endpoint, (unsigned long)count, codeptr != NULL,
         valid(task, parallel));
}

static void on_loop(ompt_loop_sched_t sched, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, int is_signed, int64_t step, const void *codeptr) {
  if (option("silent")) return;
  printf("%s loop loop=%u team=%d thread=%d endpoint=%d sched=%u signed=%d step=%ld same=%d "
         "valid=%d\n",
         NAME, line(), team(), thread(), (int)endpoint, (unsigned)sched,
         is_signed, (long)step, codeptr != NULL && codeptr == began_at, valid(task, parallel));
}

static void register_all(void) {
  if (option("work")) set(ompt_callback_work, (ompt_callback_t)on_work);
  if (option("loop")) set(ompt_callback_loop, (ompt_callback_t)on_loop);
  if (option("late-work")) set(ompt_callback_work, (ompt_callback_t)on_work);
  if (option("clock")) set(ompt_callback_tool_time, (ompt_callback_t)clock_ticks);
  if (option("dispatch")) set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  if (option("chunk")) set(ompt_callback_chunk, (ompt_callback_t)on_chunk);
}

static pthread_t churners[2];
static volatile int churning;

static void *churn(void *ignored) {
  for (unsigned k = 0; churning; k++) {
    int on = k & 1;
    set_callback(ompt_callback_dispatch, on ? (ompt_callback_t)on_dispatch : NULL);
    set_callback(ompt_callback_tool_time, on ? (ompt_callback_t)clock_ticks : NULL);
    set_callback(ompt_callback_chunk, on ? (ompt_callback_t)on_chunk : NULL);
    set_callback(ompt_callback_loop, on ? (ompt_callback_t)on_loop : NULL);
    set_callback(ompt_callback_work, on ? (ompt_callback_t)on_work : NULL);
  }
  return ignored;
}

/* 1: unregister; 2: register; 3: end the churning. */
static int on_control(uint64_t command, uint64_t modifier, void *arg, const void *codeptr) {
  (void)modifier, (void)arg, (void)codeptr;
  if (command == 1) {
    set(ompt_callback_dispatch, NULL);
    set(ompt_callback_chunk, NULL);
    set(ompt_callback_loop, NULL);
  } else if (command == 2) {
    unsetenv("TOOL_OPTIONS");
    register_all();
  } else if (command == 3) {
    churning = 0;
    for (int k = 0; k < 2; k++) pthread_join(churners[k], NULL);
  }
  return 77;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device;
  printf("%s initialize data=%lu\n", NAME, (unsigned long)data->value);
  finalized = 0;
  if (option("init-zero")) return 0;
  ompt_set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_loop = (ompt_chunk_get_loop_t)lookup("ompt_chunk_get_loop");
  printf("%s lookup get_loop=%d unknown=%d\n", NAME, get_loop != NULL,
         lookup("ompt_no_such_entry") != NULL);
  set_callback(ompt_callback_control_tool, (ompt_callback_t)on_control);
  register_all();
  if (option("churn")) {
    churning = 1;
    for (int k = 0; k < 2; k++) pthread_create(&churners[k], NULL, churn, NULL);
  }
  return 1;
}

static void finalize(ompt_data_t *data) {
  finalized = 1;
  printf("%s finalize data=%lu\n", NAME, (unsigned long)data->value);
  fflush(stdout);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {.value = 42}};
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  printf("%s asked\n", NAME);
  if (option("ask-again")) {
    typedef ompt_start_tool_result_t *start_tool(unsigned int, const char *);
    start_tool *next = (start_tool *)dlsym(RTLD_DEFAULT, "ompt_start_tool");
    printf("%s asks again=%d\n", NAME, next && next(omp_version, runtime_version));
  }
  if (option("no-initialize")) result.initialize = NULL;
  return option("decline") ? NULL : &result;
}
