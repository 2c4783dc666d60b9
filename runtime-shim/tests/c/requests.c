//--- collector-requests.c
/* Requests to the OpenMP Collector API: their order, their sizes, their memory. Each word of the command line is a scene. */
#include "collector.h"

static void nothing(int event) { (void)event; }

/* A list of records made by hand. */
typedef struct list {
  int32_t words[64];
  int used;
} list;
static int32_t *add(list *l, int sz, int request) {
  int32_t *at = l->words + l->used;
  memset(at, 0x55, (size_t)sz < 16 ? 16 : (size_t)sz);
  at[0] = sz, at[1] = request;
  l->used += sz / 4;
  l->words[l->used] = 0;
  return at;
}
static int32_t *add_register(list *l, int event) { /* as many collectors send it */
  int32_t *at = add(l, 28, REQ_REGISTER);
  void (*callback)(int) = nothing;
  at[4] = event;
  memcpy(at + 5, &callback, sizeof callback);
  return at;
}

static void order(void) {
  for (int request = REQ_REGISTER; request <= REQ_RESUME; request++) CHECK(simple(request) == EC_SEQUENCE);
  CHECK(simple(REQ_START) == EC_OK);
  CHECK(simple(REQ_START) == EC_SEQUENCE);
  CHECK(simple(9) == EC_UNKNOWN && simple(-1) == EC_UNKNOWN && simple(4096) == EC_UNKNOWN);
  for (int times = 0; times < 2; times++) CHECK(simple(REQ_PAUSE) == EC_OK);
  for (int times = 0; times < 2; times++) CHECK(simple(REQ_RESUME) == EC_OK);
  CHECK(state() == ST_SERIAL && prid() == 0 && parent() == 0);
  for (int event = EV_FORK; event <= EV_LAST; event++) CHECK(register_for(api, event, nothing) == EC_OK);
  CHECK(register_for(api, EV_FORK, nothing) == EC_OK);
  int unknown[] = {0, -1, 23, 35, 4096, 0x7fffffff};
  for (unsigned k = 0; k < sizeof unknown / sizeof *unknown; k++)
    CHECK(register_for(api, unknown[k], nothing) == EC_UNKNOWN);
  CHECK(register_for(api, EV_FORK, NULL) == EC_ERROR);
  record it = {.mem.reg.event = EV_FORK};
  for (int times = 0; times < 2; times++) CHECK(ask(api, REQ_UNREGISTER, &it) == EC_OK);
  it.mem.reg.event = 99;
  CHECK(ask(api, REQ_UNREGISTER, &it) == EC_UNKNOWN);
  CHECK(simple(REQ_STOP) == EC_OK && simple(REQ_STOP) == EC_SEQUENCE && simple(REQ_STATE) == EC_SEQUENCE);
  CHECK(simple(REQ_START) == EC_OK && simple(REQ_STOP) == EC_OK);
}

static void several(void) {
  /* One call, processed in order. */
  list l = {0};
  int32_t *early = add(&l, 16, REQ_STATE), *start = add(&l, 16, REQ_START), *small = add(&l, 16, REQ_STATE);
  int32_t *state_only = add(&l, 20, REQ_STATE), *again = add(&l, 16, REQ_START), *large = add(&l, 40, REQ_PAUSE);
  int32_t *stop = add(&l, 16, REQ_STOP), *late = add(&l, 16, REQ_RESUME);
  CHECK(api(l.words) == 0);
  CHECK(early[2] == EC_SEQUENCE && start[2] == EC_OK && start[3] == 0);
  CHECK(small[2] == EC_TOO_SMALL && small[3] == 16);
  CHECK(state_only[2] == EC_OK && state_only[3] == 4 && state_only[4] == ST_SERIAL);
  CHECK(again[2] == EC_SEQUENCE && large[2] == EC_OK && stop[2] == EC_OK && late[2] == EC_SEQUENCE);
  /* 28 bytes each: the callbacks are aligned to nothing. Then events that the interface does not have. */
  list events = {0};
  int32_t *at[8];
  add(&events, 16, REQ_START);
  for (int k = 0; k < 8; k++) at[k] = add_register(&events, k < 6 ? EV_FORK + k : 23 + k);
  CHECK(api(events.words) == 0);
  for (int k = 0; k < 8; k++) CHECK(at[k][2] == (k < 6 ? EC_OK : EC_UNKNOWN));
  CHECK(simple(REQ_STOP) == EC_OK);
}

static void sizes(void) {
  CHECK(api(NULL) == -1 && simple(REQ_START) == EC_OK);
  int32_t none = 0;
  CHECK(api(&none) == 0);
  int bad[] = {4, 8, 12, 15, 17, 18, 19, 21, -16, -4, (int)0x80000000, 1, 0x7fffffff};
  for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++) {
    int32_t words[16] = {16, REQ_PAUSE, 77, 77, bad[k], REQ_STOP, 77, 77};
    CHECK(api(words) == -1);
    /* What came before counts, the rest does not. */
    CHECK(words[2] == EC_OK && words[6] == 77 && words[7] == 77 && state() == ST_SERIAL);
  }
  _Alignas(8) char bytes[64] = {0};
  int32_t sixteen = 16;
  for (int offset = 1; offset < 4; offset++) {
    memcpy(bytes + offset, &sixteen, 4);
    CHECK(api(bytes + offset) == -1);
  }
  /* Values of 8 bytes need their alignment, and enough room. */
  for (int shift = 0; shift < 2; shift++)
    for (int request = REQ_STATE; request <= REQ_PARENT_PRID; request++) {
      _Alignas(8) int32_t room[16] = {0};
      int32_t *it = room + shift;
      it[0] = request == REQ_STATE ? 32 : 24, it[1] = request;
      CHECK(api(it) == 0 && it[2] == (shift ? EC_ERROR : EC_OK));
      CHECK(it[3] == (shift ? 0 : request == REQ_STATE ? 4 : 8));
      if (request != REQ_STATE) {
        _Alignas(8) int32_t small[8] = {20, request};
        CHECK(api(small) == 0 && small[2] == EC_TOO_SMALL && small[3] == 8 && small[4] == 0);
      }
    }
  int32_t words[16] = {24, REQ_REGISTER, 0, 0, EV_FORK};
  CHECK(api(words) == 0 && words[2] == EC_ERROR);
  int32_t few[8] = {16, REQ_UNREGISTER};
  CHECK(api(few) == 0 && few[2] == EC_ERROR);
  CHECK(simple(REQ_STOP) == EC_OK);
}

/* Lists at the very end of a page behind which there is none, and in memory that cannot be written. */
static void pages(void) {
  long page = sysconf(_SC_PAGESIZE);
  char *at = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED && mprotect(at + page, (size_t)page, PROT_NONE) == 0);
  int32_t *end = (int32_t *)(at + page);
  CHECK(simple(REQ_START) == EC_OK);
  errno = 4711;
  for (int words = 1; words <= 12; words++) {
    int32_t *it = end - words;
    int sizes[] = {0, 16, 20, 24, 28, 32, 48, 0x7ffffffc};
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
      for (int request = REQ_REGISTER; request <= REQ_PARENT_PRID; request++) {
        memset(it, 0, 4 * (size_t)words);
        it[0] = sizes[k];
        if (words > 1) it[1] = request;
        /* The list ends only if its last word lies in the page. */
        int ends = sizes[k] / 4 < words;
        CHECK(api(it) == (ends ? 0 : -1));
      }
  }
  end[-1] = 0;
  end[-5] = 16, end[-4] = REQ_PAUSE, end[-3] = 77;
  CHECK(api(end - 5) == 0 && end[-3] == EC_OK);
  CHECK(api(end) == -1 && api((void *)16) == -1 && api((void *)(uintptr_t)0xffff800000000000) == -1);
  CHECK(api((void *)-4) == -1);
  /* Over a boundary. */
  CHECK(mprotect(end, (size_t)page, PROT_READ | PROT_WRITE) == 0);
  for (int words = 1; words < 8; words++) {
    int32_t *it = end - words;
    memset(it, 0, 64);
    it[0] = 20, it[1] = REQ_STATE, it[5] = 0;
    CHECK(api(it) == 0 && it[2] == EC_OK && it[4] == ST_SERIAL && it[5] == 0);
  }
  CHECK(mprotect(end, (size_t)page, PROT_READ) == 0);
  end[-2] = 16, end[-1] = REQ_PAUSE;
  CHECK(api(end - 2) == -1);
  static const int32_t constant[5] = {16, REQ_PAUSE, 0, 0, 0};
  CHECK(api((void *)constant) == -1);
  CHECK(errno == 4711);
  CHECK(simple(REQ_STOP) == EC_OK);
}

/* Noise at the end of a page: whatever comes, the answer is 0 or -1, and what lies before is as it was. */
static void noise(void) {
  enum { WORDS = 24 };
  long page = sysconf(_SC_PAGESIZE);
  char *at = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED && mprotect(at + page, (size_t)page, PROT_NONE) == 0);
  int32_t *words = (int32_t *)(at + page) - WORDS;
  unsigned seed = 12345;
  int answers[2] = {0};
  CHECK(simple(REQ_START) == EC_OK);
  for (int times = 0; times < 100000; times++) {
    for (int k = 0; k < WORDS; k++) {
      seed = seed * 1103515245 + 12345;
      unsigned value = seed >> 8;
      /* Sizes that are right or nearly, requests but for REGISTER, whose callback would be called, and anything. */
      words[k] = value % 8 < 5 ? (int)(value >> 8) % 13 * 4 : value % 8 < 6 ? (int)(value >> 8) % 50 : (int)seed;
      if (words[k] == REQ_REGISTER || words[k] == REQ_STOP) words[k] = REQ_STATE;
    }
    words[-1] = 4711;
    int answer = api(words);
    CHECK(answer == 0 || answer == -1);
    CHECK(words[-1] == 4711);
    answers[-answer]++;
  }
  CHECK(answers[0] > 100 && answers[1] > 100);
  CHECK(simple(REQ_STOP) == EC_OK);
}

/* With the runtime there before START. `late no` wants to be refused, `late yes` not. */
__attribute__((noinline)) static void late(int refused) {
  int threads = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
  threads++;
  CHECK(threads == 2);
  for (int times = 0; times < 2; times++) {
    CHECK(simple(REQ_START) == (refused ? EC_SEQUENCE : EC_OK));
    CHECK(simple(REQ_STATE) == (refused ? EC_SEQUENCE : EC_OK));
    CHECK(simple(REQ_STOP) == (refused ? EC_SEQUENCE : EC_OK));
  }
}

static void *stranger(void *unused) {
  (void)unused;
  record it = {0};
  CHECK(state() == ST_SERIAL && prid() == 0 && ask(api, REQ_PARENT_PRID, &it) == EC_THREAD);
  return NULL;
}
__attribute__((noinline)) static void strangers(void) {
  pthread_t thread;
#pragma omp parallel num_threads(2)
#pragma omp master
  {
    CHECK(pthread_create(&thread, NULL, stranger, NULL) == 0 && pthread_join(thread, NULL) == 0);
  }
  CHECK(simple(REQ_STOP) == EC_OK);
}

int main(int argc, char **argv) {
  api = find_collector_api();
  CHECK(api);
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "order")) order();
    else if (!strcmp(argv[k], "several")) several();
    else if (!strcmp(argv[k], "sizes")) sizes();
    else if (!strcmp(argv[k], "pages")) pages();
    else if (!strcmp(argv[k], "noise")) noise();
    else if (!strcmp(argv[k], "strangers")) {
      /* Compilers begin the runtime where a function begins that uses OpenMP. */
      CHECK(simple(REQ_START) == EC_OK);
      strangers();
    }
    else if (!strcmp(argv[k], "refused")) late(1);
    else if (!strcmp(argv[k], "late")) late(0);
    else CHECK(!"a scene");
    printf("ok scene=%s\n", argv[k]);
  }
  return 0;
}
//--- collector-tool.c
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
