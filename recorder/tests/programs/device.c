/* A stand-in for the part of an OpenMP runtime that reports target: everything else is the real runtime's. The program is the
   runtime's tool, hands the recorder on, keeps the callbacks for target, and calls them as the specification says (OpenMP 5.2,
   19.5.2.25 to 19.5.2.28), or as it does not say. With PLAIN set, there are only the callbacks without emi. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static ompt_callback_t kept[64];
static ompt_start_tool_result_t *recorder, mine;
static ompt_function_lookup_t look_up;
static ompt_set_callback_t set_in_runtime;

static int is_plain(void) { return getenv("PLAIN") != NULL; }

static ompt_set_result_t set(ompt_callbacks_t event, ompt_callback_t callback) {
  switch (event) {
  case ompt_callback_target_emi:
  case ompt_callback_target_data_op_emi:
  case ompt_callback_target_submit_emi:
    if (is_plain()) return ompt_set_never;
    break;
  case ompt_callback_target:
  case ompt_callback_target_data_op:
  case ompt_callback_target_submit:
    break;
  default:
    return set_in_runtime(event, callback);
  }
  kept[event] = callback;
  return ompt_set_always;
}

static ompt_interface_fn_t handed_on(const char *name) {
  return strcmp(name, "ompt_set_callback") ? look_up(name) : (ompt_interface_fn_t)set;
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  look_up = lookup, set_in_runtime = (ompt_set_callback_t)lookup("ompt_set_callback");
  return recorder->initialize(handed_on, device, data);
}
static void finalize(ompt_data_t *data) { recorder->finalize(data); }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  const char *list = getenv("OMP_TOOL_LIBRARIES"), *last = list ? strrchr(list, ':') : NULL;
  void *library = list ? dlopen(last ? last + 1 : list, RTLD_NOW) : NULL;
  ompt_start_tool_result_t *(*start)(unsigned, const char *) = library ? dlsym(library, "ompt_start_tool") : NULL;
  recorder = start ? start(version, runtime) : NULL;
  if (!recorder) return NULL;
  mine.initialize = initialize, mine.finalize = finalize;
  return &mine;
}

enum { BEGIN = 1, END = 2, HOST = 1 };
/* In a function that is known by name. */
static void *const somewhere = (char *)&ompt_start_tool + 4;

static void target(int kind, int endpoint, int device) {
  ompt_data_t data = {0};
  if (!is_plain())
    ((ompt_callback_target_emi_t)kept[ompt_callback_target_emi])(kind, endpoint, device, &data, &data, &data, somewhere);
  else
    ((ompt_callback_target_t)kept[ompt_callback_target])(kind, endpoint, device, &data, 7, somewhere);
}
static void data_op(int kind, int endpoint, int from, int to, size_t bytes) {
  ompt_data_t data = {0};
  ompt_id_t id = 0;
  if (!is_plain())
    ((ompt_callback_target_data_op_emi_t)kept[ompt_callback_target_data_op_emi])(endpoint, &data, &data, &id, kind, &data, from, &id, to,
                                                                                 bytes, somewhere);
  else if (endpoint == END)
    ((ompt_callback_target_data_op_t)kept[ompt_callback_target_data_op])(7, 8, kind, &data, from, &id, to, bytes, somewhere);
}
static void submit(int endpoint, unsigned teams) {
  ompt_data_t data = {0};
  ompt_id_t id = 0;
  if (!is_plain())
    ((ompt_callback_target_submit_emi_t)kept[ompt_callback_target_submit_emi])(endpoint, &data, &id, teams);
  else if (endpoint == END) ((ompt_callback_target_submit_t)kept[ompt_callback_target_submit])(7, 9, teams);
}
static void moves(int kind, int from, int to, size_t bytes) { data_op(kind, BEGIN, from, to, bytes), data_op(kind, END, from, to, bytes); }
static void construct(int kind) { target(kind, BEGIN, 0), target(kind, END, 0); }
static void kernel(void) { submit(BEGIN, 8), submit(END, 8); }

static void whole(void) {
  target(1, BEGIN, 0);
  moves(1, HOST, 0, 4096), moves(2, HOST, 0, 4096), kernel(), moves(3, 0, HOST, 4096), moves(4, 0, -1, 0);
  target(1, END, 0);
  for (int kind = 2; kind <= 4; kind++) construct(kind);
  for (int kind = 9; kind <= 12; kind++) construct(kind);
  moves(18, HOST, 0, 100);
  /* What a later version may have. */
  construct(7), construct(100), moves(9, 0, 0, 5), moves(1000, 0, 0, 5);
}

static void *one_thread(void *unused) {
  for (int i = 0; i < 100; i++) construct(1);
  return unused;
}
static void threads(int count) {
  pthread_t all[16];
  for (int i = 0; i < count; i++) pthread_create(&all[i], 0, one_thread, 0);
  for (int i = 0; i < count; i++) pthread_join(all[i], 0);
}

/* Begun in one thread and ended in another, as where a target task is untied. */
static void migrates(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) target(9, BEGIN, 0);
#pragma omp barrier
    if (omp_get_thread_num() == 1) target(9, END, 0);
  }
}

static volatile double work[1000];
static void loop(int nested) {
#pragma omp parallel for schedule(dynamic, 10) num_threads(2)
  for (int i = 0; i < 1000; i++) {
    work[i] = i;
    if (nested && i % 10 == 5) target(1, BEGIN, 0), kernel(), target(1, END, 0);
    /* Begins and never ends. */
    if (nested == 2 && i % 100 == 7) target(1, BEGIN, 0), submit(BEGIN, 8);
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  /* The runtime begins, and asks for its tool. */
  loop(0);
  if (!recorder) return fprintf(stderr, "no tool\n"), 9;
  if (!strcmp(what, "whole")) whole();
  if (!strcmp(what, "starts"))
    for (int i = 0; i < 200; i++) target(1, BEGIN, 0);
  if (!strcmp(what, "ends"))
    for (int i = 0; i < 200; i++) target(1, END, 0), data_op(2, END, HOST, 0, 8), submit(END, 1);
  if (!strcmp(what, "failed")) /* the device did not do it, and the host did */
    for (int i = 0; i < 10; i++) target(1, BEGIN, 0), data_op(1, BEGIN, HOST, 0, 8), submit(BEGIN, 8), target(1, END, 0), loop(0);
  if (!strcmp(what, "threads")) threads(8), threads(8);
  if (!strcmp(what, "migrates")) migrates(), construct(1);
  if (!strcmp(what, "loop")) loop(1);
  if (!strcmp(what, "torn")) loop(2);
  if (!strcmp(what, "exit")) target(1, BEGIN, 0), submit(BEGIN, 8), exit(3);
  if (!strcmp(what, "killed")) construct(2), target(1, BEGIN, 0), submit(BEGIN, 8), kill(getpid(), 9);
  if (!strcmp(what, "fork")) {
    target(1, BEGIN, 0);
    if (!fork()) kernel(), target(1, END, 0), exit(0);
    wait(NULL), target(1, END, 0);
  }
  if (!strcmp(what, "many"))
    for (int i = 0; i < 20000; i++) target(1, BEGIN, 0), kernel(), target(1, END, 0);
  if (!strcmp(what, "paused")) {
    construct(2), target(1, BEGIN, 0);
    omp_control_tool(omp_control_tool_pause, 0, NULL);
    target(1, END, 0), construct(3), target(1, BEGIN, 0), kernel();
    omp_control_tool(omp_control_tool_start, 0, NULL);
    target(1, END, 0), construct(4);
  }
  return 0;
}
