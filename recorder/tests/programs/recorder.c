//--- control.c
/* Says to the recorder what to record, and says what it answers. The first argument names the way. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { START = omp_control_tool_start, PAUSE = omp_control_tool_pause };
enum { FLUSH = omp_control_tool_flush, END = omp_control_tool_end };

static void say(int command) { printf("%d ", omp_control_tool(command, 0, NULL)); }

static void spend(void) {
  struct timespec some = {0, 20 * 1000 * 1000};
  nanosleep(&some, NULL);
}

/* A region with a loop of 12 chunks. */
#define LOOP                                          \
  _Pragma("omp parallel num_threads(3)") {            \
    _Pragma("omp for schedule(static, 1)")            \
    for (int i = 0; i < 12; i++)                      \
      __asm__ volatile("");                           \
  }

static void first(void) { LOOP }
static void second(void) { LOOP }
static void third(void) { LOOP }

static void phases(void) {
  first();
  first();
  say(PAUSE);
  say(PAUSE);
  spend();
  second();
  first();
  say(START);
  say(START);
  third();
  say(FLUSH);
  third();
  say(99);
  say(END);
  say(START);
  first();
  second();
}

/* One region, in which the threads go on and off together. */
static void inside(int from_pause) {
  if (from_pause) say(PAUSE);
#pragma omp parallel num_threads(3)
  for (int round = 0; round < 30; round++) {
#pragma omp master
    {
      if (round % 10 == 5) omp_control_tool(START, 0, NULL);
      if (round % 10 == 0) omp_control_tool(PAUSE, 0, NULL);
    }
#pragma omp barrier
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 12; i++) __asm__ volatile("");
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < 12; i++) __asm__ volatile("");
  }
}

/* Every thread says what it likes, in loops, in tasks, in regions within regions. */
static void chaos(unsigned seed) {
  for (int round = 0; round < 60; round++) {
#pragma omp parallel num_threads(3)
    {
      unsigned mine = seed * 977 + round * 31 + omp_get_thread_num();
#pragma omp for schedule(static, 1) nowait
      for (int i = 0; i < 24; i++)
        if (rand_r(&mine) % 8 == 0) omp_control_tool(rand_r(&mine) % 2 ? START : PAUSE, 0, NULL);
#pragma omp for schedule(dynamic, 2)
      for (int i = 0; i < 24; i++)
        if (rand_r(&mine) % 8 == 0) omp_control_tool(1 + rand_r(&mine) % 3, 0, NULL);
      if (rand_r(&mine) % 3 == 0) {
#pragma omp parallel num_threads(2)
        {
#pragma omp for schedule(static)
          for (int i = 0; i < 4; i++)
            if (i == 2) omp_control_tool(rand_r(&mine) % 2 ? START : PAUSE, 0, NULL);
#pragma omp barrier
        }
      }
#pragma omp single
      {
#pragma omp task
        omp_control_tool(START, 0, NULL);
      }
#pragma omp taskwait
#pragma omp sections
      {
#pragma omp section
        omp_control_tool(PAUSE, 0, NULL);
#pragma omp section
        omp_control_tool(START, 0, NULL);
      }
    }
  }
  omp_control_tool(START, 0, NULL);
  third();
}

/* Regions for so many milliseconds. */
static void go_on(int milliseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    first();
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < milliseconds);
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  int number = argc > 2 ? atoi(argv[2]) : 0;
  omp_set_max_active_levels(2);
  if (!strcmp(way, "phases"))
    phases();
  else if (!strcmp(way, "inside"))
    inside(number);
  else if (!strcmp(way, "chaos"))
    chaos(number);
  else if (!strcmp(way, "time"))
    go_on(number);
  else if (!strcmp(way, "loops"))
    for (int i = 0; i < number; i++) {
      first();
      second();
    }
  else
    return 2;
  printf("\n");
  return 0;
}
//--- divided.c
/* A runtime with a shim that says what its arguments say, one thread: the recorder under events that no program could be
 * made to have at a given moment. First argument: the recorder. */
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ompt-chunk.h"

static void *callbacks[128];
/* How often the recorder asked for sub-blocks, and took that back. */
static int asked, taken_back;

static ompt_set_result_t set(ompt_callbacks_t event, ompt_callback_t callback) {
  if (event == 85 && getenv("NO_SUB_BLOCKS")) return ompt_set_never;
  if (event == 85) *(callback ? &asked : &taken_back) += 1;
  callbacks[event] = (void *)callback;
  return event >= 80 ? ompt_set_sometimes : ompt_set_always;
}

static struct {
  ompt_chunk_loop_t loop;
  char names[16];
} record = {{.size = sizeof record,
             .construct = ompt_chunk_for,
             .bits = 64,
             .flags = ompt_chunk_changeable | ompt_chunk_divisible,
             .schedule = 34,
             .line = 7,
             .function = sizeof record.loop,
             .file = sizeof record.loop + 5},
            "work\0a.c"};

static int in_loop;

static const ompt_chunk_loop_t *get_loop(void) { return in_loop ? &record.loop : NULL; }

static int get_variable(int64_t *start, int64_t *step) {
  (void)start, (void)step;
  return 0;
}

static ompt_interface_fn_t lookup(const char *name) {
  if (strcmp(name, "ompt_set_callback") == 0) return (ompt_interface_fn_t)set;
  if (strcmp(name, "ompt_chunk_get_loop") == 0) return (ompt_interface_fn_t)get_loop;
  if (strcmp(name, "ompt_chunk_get_variable") == 0) return (ompt_interface_fn_t)get_variable;
  return NULL;
}

static ompt_data_t parallel, task, initial;

static void region(int begins) {
  if (begins) {
    ((ompt_callback_parallel_begin_t)callbacks[ompt_callback_parallel_begin])(
        &initial, NULL, &parallel, 1, ompt_parallel_invoker_program, NULL);
    task.value = 0;
    ((ompt_callback_implicit_task_t)callbacks[ompt_callback_implicit_task])(ompt_scope_begin, &parallel, &task, 1, 0,
                                                                            ompt_task_implicit);
  } else {
    ((ompt_callback_implicit_task_t)callbacks[ompt_callback_implicit_task])(ompt_scope_end, NULL, &task, 1, 0,
                                                                            ompt_task_implicit);
    ((ompt_callback_parallel_end_t)callbacks[ompt_callback_parallel_end])(&parallel, &initial, 0, NULL);
  }
}

static void loop(int begins) {
  in_loop = 1;
  ((ompt_callback_work_t)callbacks[ompt_callback_work])(ompt_work_loop_static, begins ? ompt_scope_begin : ompt_scope_end,
                                                        &parallel, &task, 100, (void *)0x1000);
  in_loop = begins;
}

static void chunk(unsigned long lower, unsigned long iterations) {
  ompt_dispatch_chunk_t it = {lower, iterations};
  ompt_data_t instance = {.ptr = &it};
  if (callbacks[ompt_callback_dispatch])
    ((ompt_callback_dispatch_t)callbacks[ompt_callback_dispatch])(&parallel, &task, ompt_dispatch_ws_loop_chunk, instance);
}

static void piece(unsigned long lower, unsigned long iterations, unsigned flags) {
  if (callbacks[85]) ((ompt_callback_sub_block_t)callbacks[85])(&parallel, &task, lower, iterations, flags, NULL);
}

static void control(uint64_t command) {
  ((ompt_callback_control_tool_t)callbacks[ompt_callback_control_tool])(command, 0, NULL, NULL);
}

/* Milliseconds on the core. */
static void work(long ms) {
  struct timespec now, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += ms * 1000000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  do
    clock_gettime(CLOCK_MONOTONIC, &now);
  while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

int main(int argc, char **argv) {
  void *recorder = dlopen(argv[1], RTLD_NOW);
  ompt_start_tool_result_t *(*start)(unsigned, const char *) =
      recorder ? (void *)dlsym(recorder, "ompt_start_tool") : NULL;
  ompt_start_tool_result_t *tool = start ? start(201811, "by hand") : NULL;
  if (!tool || !tool->initialize(lookup, 0, &tool->tool_data)) {
    fprintf(stderr, "no recorder: %s\n", tool ? "declined" : dlerror());
    return 2;
  }
  ((ompt_callback_thread_begin_t)callbacks[ompt_callback_thread_begin])(ompt_thread_initial, &initial);
  ((ompt_callback_implicit_task_t)callbacks[ompt_callback_implicit_task])(ompt_scope_begin, NULL, &initial, 1, 1,
                                                                          ompt_task_initial);
  pid_t child = 1;
  for (int i = 2; i < argc; i++) {
    unsigned long a = 0, b = 0;
    unsigned flags = 0;
    char what[16];
    int n = sscanf(argv[i], "%15[a-z]:%lu:%lu:%u", what, &a, &b, &flags);
    if (n < 1) return 3;
    if (strcmp(what, "region") == 0)
      region(1);
    else if (strcmp(what, "join") == 0)
      region(0);
    else if (strcmp(what, "loop") == 0)
      loop(1);
    else if (strcmp(what, "end") == 0)
      loop(0);
    else if (strcmp(what, "chunk") == 0)
      chunk(a, b);
    else if (strcmp(what, "piece") == 0)
      piece(a, b, flags);
    else if (strcmp(what, "pause") == 0)
      control(2);
    else if (strcmp(what, "start") == 0)
      control(1);
    else if (strcmp(what, "fork") == 0)
      child = fork();
    else if (strcmp(what, "work") == 0)
      work((long)a);
    else if (strcmp(what, "sleep") == 0)
      usleep((useconds_t)a * 1000);
    else if (strcmp(what, "many") == 0)
      /* Regions, each with a loop of b pieces. */
      for (unsigned long r = 0; r < a; r++) {
        region(1);
        loop(1);
        chunk(0, b);
        for (unsigned long p = 0; p < b; p++) piece(p, 1, (p == 0) | (p + 1 == b) << 1);
        loop(0);
        region(0);
      }
    else
      return 3;
  }
  if (child > 1) waitpid(child, NULL, 0);
  tool->finalize(&tool->tool_data);
  if (child) printf("%d %d\n", asked, taken_back);
  return 0;
}
//--- faults.c
/* faults PAGES TIMES: a loop that touches each of so many pages, in 6 executions, so that only the first finds them untouched; and a short one,
   so many times. Two threads each. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

int main(int argc, char **argv) {
  long pages = argc > 1 ? atol(argv[1]) : 1000, times = argc > 2 ? atol(argv[2]) : 1000;
  long size = sysconf(_SC_PAGESIZE);
  /* One fault for each page, not for 2 MiB. */
  prctl(PR_SET_THP_DISABLE, 1L, 0L, 0L, 0L);
  char *memory = mmap(0, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  for (int k = 0; k < 6; k++)
#pragma omp parallel for schedule(static) num_threads(2)
    for (long i = 0; i < pages; i++) memory[i * size] = 1;
  for (long k = 0; k < times; k++)
#pragma omp parallel for schedule(static) num_threads(2)
    for (long i = 0; i < 4; i++) memory[i * size] += 1;
  return 0;
}
