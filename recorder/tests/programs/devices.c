//--- target.c
/* OpenMP's target by the calls that clang makes of it, on the device that LLVM 19's libomptarget has on every host. Clang itself needs
   a linker for devices, which is in another package. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  void *address;
  const char *name;
  size_t size;
  int32_t flags, data;
};
struct image {
  void *begin, *end;
  struct entry *entries, *entries_end;
};
struct descriptor {
  int32_t count;
  struct image *images;
  struct entry *entries, *entries_end;
};
struct arguments {
  uint32_t version, count;
  void **bases, **pointers;
  int64_t *sizes, *types;
  void **names, **mappers;
  uint64_t trip_count, flags;
  uint32_t teams[3], threads[3], memory;
};
/* target DEVICE-CODE [FUNCTION] */
void __tgt_register_lib(struct descriptor *);
void __tgt_unregister_lib(struct descriptor *);
int __tgt_target_kernel(void *, int64_t, int32_t, int32_t, void *, struct arguments *);
void __tgt_target_data_begin_mapper(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);
void __tgt_target_data_end_mapper(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);
void __tgt_target_data_update_mapper(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);

enum { COUNT = 1000, TO = 1, FROM = 2, PARAMETER = 32, LITERAL = 256 };
static char region;
static double values[COUNT];

static void *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) abort();
  fseek(file, 0, SEEK_END), *size = ftell(file), rewind(file);
  void *all = malloc(*size);
  if (fread(all, 1, *size, file) != *size) abort();
  fclose(file);
  return all;
}

static int target(int64_t device, int32_t teams) {
  void *pointers[] = {(void *)(intptr_t)COUNT, values};
  int64_t sizes[] = {8, sizeof values}, types[] = {PARAMETER | LITERAL, PARAMETER | TO | FROM};
  struct arguments all = {3, 2, pointers, pointers, sizes, types, 0, 0, 0, 0, {teams}, {1}, 0};
  return __tgt_target_kernel(NULL, device, teams, 1, &region, &all);
}
typedef void data(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);
static void move(data *how, int64_t type) {
  void *pointers[] = {values};
  int64_t sizes[] = {sizeof values};
  how(NULL, -1, 1, pointers, pointers, sizes, &type, NULL, NULL);
}

int main(int argc, char **argv) {
  size_t size;
  char *device_code = read_file(argv[1], &size);
  struct entry entry = {&region, argc > 2 ? argv[2] : "twice", 0, 0, 0};
  struct image image = {device_code, device_code + size, &entry, &entry + 1};
  struct descriptor all = {1, &image, &entry, &entry + 1};
  __tgt_register_lib(&all);
  for (int i = 0; i < COUNT; i++) values[i] = i;
  int failed = target(-1, 1);
  move(__tgt_target_data_begin_mapper, TO);
  for (int i = 0; i < 3; i++) failed += target(-1, 2);
  move(__tgt_target_data_update_mapper, FROM);
  move(__tgt_target_data_end_mapper, FROM);
  int device = omp_get_default_device();
  void *memory = omp_target_alloc(100, device);
  omp_target_memcpy(memory, values, 100, 0, 0, device, omp_get_initial_device());
  omp_target_free(memory, device);
  printf("%d %g\n", failed, values[COUNT - 1]);
  __tgt_unregister_lib(&all);
}
//--- target_device.c
/* The code for the device, as clang's would be in the program: the first argument is the runtime's own. */
void twice(void *runtime, long count, double *values) {
  (void)runtime;
  for (long i = 0; i < count; i++) values[i] *= 2;
}
//--- device.c
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
//--- openacc.c
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
