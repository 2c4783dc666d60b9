//--- program.c
// Short loops and tasks in quick succession, so that a sample often meets one that begins or ends.
#include <stdio.h>

static long sum;

__attribute__((noinline)) static void inner(int start, int n, int step) {
  long mine = 0;
#pragma omp parallel for schedule(static, 2) reduction(+ : mine) num_threads(1)
  for (int i = start; i < start + n * step; i += step) mine += i;
#pragma omp atomic
  sum += mine;
}

__attribute__((noinline)) static void fixed(int start, int n, int step) {
#pragma omp for schedule(static, 3) nowait
  for (int i = start; i < start + n * step; i += step) {
    if (i % 16 == 0) inner(11, 5, 5);
#pragma omp atomic
    sum += i;
  }
}

__attribute__((noinline)) static void dealt(int start, int n, int step) {
#pragma omp for schedule(dynamic, 2) nowait
  for (int i = start; i < start + n * step; i += step) {
#pragma omp task
    {
#pragma omp atomic
      sum += i;
    }
  }
}

int main(void) {
  for (int times = 0; times < 800; times++) {
#pragma omp parallel num_threads(3)
    {
      fixed(100, 20, 3);
      dealt(-7, 20, 2);
    }
  }
  printf("%ld\n", sum);
  return 0;
}
//--- tool.c
/* A tool that samples: while it gets every event, a timer of each thread interrupts it, and the handler asks
 * everything that OMPT and ompchunk let it ask. Prints on standard error what came of it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ompt-chunk.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { INTERVAL = 40000 /* ns */ };

static ompt_set_callback_t set_callback;
static ompt_get_state_t get_state;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_proc_id_t get_proc_id;
static ompt_chunk_get_loop_t get_loop;
static ompt_chunk_get_variable_t get_variable;
static atomic_ulong samples, in_loop, bad, chunks, loops, creations;

/* The program's loops run from a run-time first value by a run-time step, which its functions' names tell. */
static int fits(const ompt_chunk_loop_t *loop, int known, int64_t start, int64_t step) {
  static const struct {
    const char *function;
    int64_t start, step;
  } right[] = {{"fixed", 100, 3}, {"dealt", -7, 2}, {"inner", 11, 5}};
  if (loop->abi_version != OMPT_CHUNK_ABI_VERSION) return 0;
  for (unsigned k = 0; k < sizeof right / sizeof *right; k++)
    if (!strcmp(ompt_chunk_loop_function(loop), right[k].function))
      return known == (ompt_chunk_start_known | ompt_chunk_step_known) && start == right[k].start &&
             step == right[k].step;
  return 0;
}

static void on_sample(int signal) {
  (void)signal;
  int before = errno, flags, thread_num, team_size;
  ompt_wait_id_t wait;
  ompt_data_t *task, *parallel;
  ompt_frame_t *frame;
  atomic_fetch_add(&samples, 1);
  get_state(&wait);
  get_task_info(0, &flags, &task, &frame, &parallel, &thread_num);
  get_parallel_info(0, &parallel, &team_size);
  get_thread_data();
  get_proc_id();
  /* Two calls are not one: a loop is asked for before and after its values. */
  const ompt_chunk_loop_t *loop = get_loop();
  int64_t start = 0, step = 0;
  int known = get_variable(&start, &step);
  if (loop) {
    atomic_fetch_add(&in_loop, 1);
    if (!fits(loop, known, start, step)) atomic_fetch_add(&bad, 1);
  } else if (known) {
    atomic_fetch_add(&bad, 1);
  }
  errno = before;
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data) {
  (void)type, (void)data;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  struct itimerspec every = {{0, INTERVAL}, {0, INTERVAL}};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &every, NULL)) atomic_fetch_add(&bad, 1);
}

static void on_chunk(ompt_data_t *task, int64_t lower, int64_t upper, double duration, int is_last) {
  (void)task, (void)lower, (void)upper, (void)duration, (void)is_last;
  atomic_fetch_add(&chunks, 1);
}
static void on_loop(ompt_loop_sched_t sched, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, int is_signed, int64_t step, const void *codeptr) {
  (void)sched, (void)endpoint, (void)parallel, (void)task, (void)is_signed, (void)step, (void)codeptr;
  atomic_fetch_add(&loops, 1);
}
static void on_creation(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                        int has_dependences, double duration, const void *codeptr) {
  (void)parent, (void)frame, (void)task, (void)flags, (void)has_dependences, (void)duration, (void)codeptr;
  atomic_fetch_add(&creations, 1);
}
static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
  (void)parallel, (void)task, (void)kind, (void)instance;
}
static double on_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
#define FIND(variable, name) variable = (name##_t)lookup(#name)
  FIND(set_callback, ompt_set_callback);
  FIND(get_state, ompt_get_state);
  FIND(get_task_info, ompt_get_task_info);
  FIND(get_parallel_info, ompt_get_parallel_info);
  FIND(get_thread_data, ompt_get_thread_data);
  FIND(get_proc_id, ompt_get_proc_id);
  FIND(get_loop, ompt_chunk_get_loop);
  FIND(get_variable, ompt_chunk_get_variable);
  struct sigaction action = {.sa_handler = on_sample, .sa_flags = SA_RESTART};
  sigaction(SIGPROF, &action, NULL);
  set_callback(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
  set_callback(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  set_callback(ompt_callback_tool_time, (ompt_callback_t)on_clock);
  set_callback(ompt_callback_chunk, (ompt_callback_t)on_chunk);
  set_callback(ompt_callback_loop, (ompt_callback_t)on_loop);
  set_callback(ompt_callback_task_creation, (ompt_callback_t)on_creation);
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  signal(SIGPROF, SIG_IGN);
  fprintf(stderr, "samples=%lu in_loop=%lu bad=%lu chunks=%lu loops=%lu creations=%lu\n", samples, in_loop, bad,
          chunks, loops, creations);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)omp_version, (void)runtime_version;
  return &result;
}
