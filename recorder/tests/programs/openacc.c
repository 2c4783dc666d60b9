/* A stand-in for an OpenACC runtime with a device: loads the profiling library that ACC_PROFLIB names, and calls it as the
   specification says (OpenACC 2.6 and later, chapter 5), or as it does not say. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct info {
  int event, valid_bytes, version, device_type, device_number, thread_id;
  long async, async_queue;
  const char *src_file, *func_name;
  int line_no, end_line_no, func_line_no, func_end_line_no;
};
struct event {
  int event, valid_bytes, construct, implicit;
  void *tool_info;
  const char *name;
  unsigned long numbers[3];
};
struct api {
  int device_api, valid_bytes, device_type, vendor;
  const void *handles[3];
};
typedef void (*callback)(void *, void *, void *);
typedef void (*reg)(int, callback, int);
typedef void (*reg_library)(reg, reg, void *(*)(const char *));

enum { EVENTS = 26 };
static callback callbacks[EVENTS];
static int registered;
static reg_library library;

static void do_register(int event, callback it, int mode) {
  if (event < 1 || event >= EVENTS || mode != 0) abort();
  callbacks[event] = it;
  registered++;
}
static void other_register(int event, callback it, int mode) { (void)event, (void)it, (void)mode; }
static void do_unregister(int event, callback it, int mode) { (void)event, (void)it, (void)mode; }
static void *lookup(const char *name) { return (void)name, NULL; }

static void fire(int event, void *info, void *what, void *api) {
  if (callbacks[event]) callbacks[event](info, what, api);
}

/* With all that can be told. */
static void tell(int event, int construct, int line, const char *name, long async) {
  char file[] = "/src/solver.c", function[] = "solve";
  struct info info = {event, sizeof info, 201711, 5, 1, 0, async, async + 10, file, function, line, line + 5, 3, 99};
  struct event what = {event, sizeof what, construct, 0, NULL, name, {7, 8, 9}};
  struct api api = {1, sizeof api, 5, 0, {0}};
  if (event >= 20 && event <= 23) what.numbers[0] = 4096;
  if (event < 6 || (event >= 10 && event < 18) || event >= 24) what.valid_bytes = 24;
  fire(event, &info, &what, &api);
  /* Who keeps the pointers sees this. */
  memset(file, '#', sizeof file - 1), memset(function, '#', sizeof function - 1);
  memset(&info, 0xff, sizeof info), memset(&what, 0xff, sizeof what);
}
static void pair(int event, int line) { tell(event, 0, line, NULL, -2), tell(event + 1, 0, line, NULL, -2); }

static void whole(void) {
  char x[] = "x";
  tell(1, 9, 10, NULL, -2), tell(2, 9, 10, NULL, -2);
  tell(10, 3, 12, NULL, -2);
  tell(8, 3, 12, x, -2), tell(6, 3, 12, x, -2);
  tell(20, 3, 12, x, -2), tell(21, 3, 12, x, -2);
  tell(11, 3, 12, NULL, -2);
  for (int i = 0; i < 3; i++) {
    tell(16, 1, 20, NULL, 2);
    tell(18, 1, 20, "kernel_20", 2), usleep(2000), tell(19, 1, 20, "kernel_20", 2);
    tell(17, 1, 20, NULL, 2);
  }
  tell(24, 14, 30, NULL, -2), usleep(5000), tell(25, 14, 30, NULL, -2);
  tell(14, 12, 31, NULL, -2), tell(22, 12, 31, x, -2), tell(23, 12, 31, x, -2), tell(15, 12, 31, NULL, -2);
  tell(12, 3, 40, NULL, -2), tell(7, 3, 40, x, -2), tell(9, 3, 40, x, -2), tell(13, 3, 40, NULL, -2);
  tell(3, 10, 50, NULL, -2), tell(4, 10, 50, NULL, -2);
  tell(5, 10, 50, NULL, -2);
}

/* Structures of every length, right before memory that must not be touched, at every alignment. */
static void sizes(void) {
  long page = sysconf(_SC_PAGESIZE);
  char *at[2];
  for (int i = 0; i < 2; i++) {
    at[i] = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(at[i] + page, page, PROT_NONE);
  }
  for (int valid = -8; valid <= 80; valid++) {
    size_t size = valid < 8 ? 8 : valid;
    struct info info = {18, valid, 201711, 5, 1, 0, 2, 3, "a.c", "f", 1, 2, 3, 4};
    struct event what = {18, valid, 0, 0, NULL, "k", {1, 2, 3}};
    char all[2][96] = {{0}};
    memcpy(all[0], &info, sizeof info), memcpy(all[1], &what, sizeof what);
    char *from[2] = {at[0] + page - size, at[1] + page - size};
    for (int i = 0; i < 2; i++) memcpy(from[i], all[i], size);
    fire(18, from[0], from[1], NULL);
    fire(19, from[0], from[1], from[0]);
  }
}

static void *one_thread(void *wait) {
  for (int i = 0; i < 100; i++) pair(16, 70);
  if (wait) tell(16, 0, 71, NULL, -2), pause();
  return NULL;
}
static void threads(int count) {
  pthread_t all[16];
  for (int i = 0; i < count; i++) pthread_create(&all[i], 0, one_thread, 0);
  for (int i = 0; i < count; i++) pthread_join(all[i], 0);
}

static volatile double work[1000];
static void loop(int nested) {
#pragma omp parallel for schedule(static, 10) num_threads(2)
  for (int i = 0; i < 1000; i++) {
    work[i] = i;
    if (nested && i % 10 == 5) pair(16, 80);
    /* Begins and never ends. */
    if (nested == 2 && i % 100 == 7) tell(20, 0, 81, "lost", -2);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  const char *what = argv[1], *path = getenv("ACC_PROFLIB");
  void *handle = dlopen(path, RTLD_NOW);
  library = handle ? (reg_library)dlsym(handle, "acc_register_library") : NULL;
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 9;
  if (!strcmp(what, "without")) {
    library(NULL, NULL, NULL), library(other_register, NULL, NULL);
    return 0;
  }
  library(do_register, do_unregister, lookup), library(do_register, do_unregister, lookup);
  if (registered != EVENTS - 1) return fprintf(stderr, "%d registered\n", registered), 9;
  if (!strcmp(what, "whole")) whole();
  if (!strcmp(what, "sizes")) sizes();
  if (!strcmp(what, "null"))
    for (int event = 1; event < EVENTS; event++) fire(event, NULL, NULL, NULL);
  if (!strcmp(what, "starts")) /* without ends */
    for (int i = 0; i < 200; i++) tell(16, 0, 60, NULL, -2);
  if (!strcmp(what, "ends"))
    for (int i = 0; i < 200; i++) tell(17, 0, 60, NULL, -2);
  if (!strcmp(what, "crossed"))
    tell(16, 0, 60, NULL, -2), tell(20, 0, 61, "x", -2), tell(17, 0, 60, NULL, -2), tell(21, 0, 61, "x", -2), pair(24, 62);
  if (!strcmp(what, "threads")) threads(8), threads(8);
  if (!strcmp(what, "waiting")) {
    pthread_t thread;
    pthread_create(&thread, 0, one_thread, "wait"), usleep(300000);
    pair(16, 72);
  }
  if (!strcmp(what, "names")) /* a new one each time */
    for (int i = 0; i < 70000; i++) {
      char name[16];
      snprintf(name, sizeof name, "v%d", i), tell(20, 0, 90, name, -2), tell(21, 0, 90, name, -2);
    }
  if (!strcmp(what, "exit")) tell(16, 0, 60, NULL, -2), exit(3);
  if (!strcmp(what, "killed")) pair(16, 60), tell(16, 0, 61, NULL, -2), kill(getpid(), 9);
  if (!strcmp(what, "fork")) {
    tell(16, 0, 60, NULL, -2);
    if (!fork()) pair(20, 61), tell(17, 0, 60, NULL, -2), exit(0);
    wait(NULL), tell(17, 0, 60, NULL, -2);
  }
  if (!strcmp(what, "both")) { /* OpenACC first */
    pair(1, 5), tell(16, 0, 60, NULL, -2), loop(0), tell(17, 0, 60, NULL, -2), loop(1), pair(24, 62);
    threads(2);
  }
  if (!strcmp(what, "openmp")) loop(0), pair(16, 60), loop(1); /* OpenMP first */
  if (!strcmp(what, "torn")) loop(2), pair(16, 60);
  if (!strcmp(what, "many"))
    for (int i = 0; i < 20000; i++) pair(16, 60), tell(8, 0, 61, "x", -2);
  if (!strcmp(what, "paused")) {
    loop(0), pair(16, 60), tell(16, 0, 61, NULL, -2);
    omp_control_tool(omp_control_tool_pause, 0, NULL);
    tell(17, 0, 61, NULL, -2), pair(20, 62), tell(16, 0, 63, NULL, -2), pair(22, 64);
    omp_control_tool(omp_control_tool_start, 0, NULL);
    tell(17, 0, 63, NULL, -2), pair(24, 65);
  }
  return 0;
}
