//--- collector.h
/* What the programs that test the OpenMP Collector API share. */
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "omp-collector.h"

#define CHECK(what)                                                                                                    \
  do {                                                                                                                 \
    if (!(what)) {                                                                                                     \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #what);                                             \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

static collector_api *api;

static inline int simple(int request) {
  record it = {0};
  return ask(api, request, &it);
}
static inline uint64_t prid(void) { return region_of(api, REQ_CURRENT_PRID); }
static inline uint64_t parent(void) { return region_of(api, REQ_PARENT_PRID); }
static inline int state(void) { return state_of(api); }
static inline void nap(long us) { nanosleep(&(struct timespec){0, us * 1000}, NULL); }
//--- collector-app.c
/* A program for a collector: regions of which it is known how long their threads wait. */
#include <omp.h>
#include <time.h>

static void nap(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

int main(void) {
  omp_set_max_active_levels(2);
  /* 1: three threads wait 50 ms, 2: two wait for a lock, one 50 and the other 100 ms. */
#pragma omp parallel num_threads(4)
  if (omp_get_thread_num() == 0) nap(50);
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    nap(50);
  }
  nap(50); /* no region, though workers sleep in its barrier */
  /* 3, in which two threads begin a region each, 4 and 5; one thread alone, 6. */
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    nap(20);
  }
#pragma omp parallel num_threads(1)
  nap(20);
  return 0;
}
//--- collector-regions.c
/* Region ids, states and events of the OpenMP Collector API. Each word of the command line is a scene. */
#include "collector.h"

enum { THREADS = 400, LOG = 4096 };
/* What each thread heard, in order. */
static struct heard {
  int used, events[LOG], states[LOG];
  uint64_t regions[LOG];
} *heard;
static atomic_int threads_heard;
static _Thread_local int me = -1;
static atomic_int count[EV_LAST + 1];

static void hear(int event) {
  if (me < 0) me = atomic_fetch_add(&threads_heard, 1);
  CHECK(me < THREADS && event >= EV_FORK && event <= EV_LAST);
  struct heard *h = &heard[me];
  if (h->used < LOG) {
    h->states[h->used] = state();
    h->regions[h->used] = prid();
    h->events[h->used++] = event;
  }
  atomic_fetch_add(&count[event], 1);
}

static void start(void) {
  CHECK(simple(REQ_START) == EC_OK);
  for (int event = EV_FORK; event <= EV_LAST; event++) CHECK(register_for(api, event, hear) == EC_OK);
}
static void stop(void) { CHECK(simple(REQ_STOP) == EC_OK); }

/* Per thread, each end follows its begin, and STATE in a callback is what the event says. */
static void check_heard(void) {
  static const int states[] = {[EV_IDLE] = ST_IDLE, [EV_IBAR] = ST_IBAR, [EV_EBAR] = ST_EBAR, [EV_LKWT] = ST_LKWT,
                               [EV_CTWT] = ST_CTWT, [EV_ODWT] = ST_ODWT, [EV_ATWT] = ST_ATWT, [EV_LAST] = 0};
  for (int t = 0; t < threads_heard; t++) {
    int open[EV_LAST + 1] = {0};
    for (int k = 0; k < heard[t].used; k++) {
      int event = heard[t].events[k], begin = event % 2 ? event : event - 1;
      open[begin] += event % 2 ? 1 : -1;
      CHECK(open[begin] >= 0);
      CHECK(event == EV_FORK || begin == EV_FORK || open[begin] <= 1);
      if (event % 2 && states[event]) CHECK(heard[t].states[k] == states[event]);
      if (begin != EV_FORK && event % 2 == 0) CHECK(heard[t].states[k] != states[begin] || event == EV_IDLE + 1);
      if (event == EV_FORK) CHECK(heard[t].states[k] == ST_OVHD && heard[t].regions[k] != 0);
      if (event == EV_IDLE || heard[t].states[k] == ST_SERIAL) CHECK(heard[t].regions[k] == 0);
    }
  }
}

static omp_lock_t lock;
static omp_nest_lock_t nest;

/* Results that are combined by more than an instruction, which the runtime then has to order. */
static atomic_int combined, seen_combining;
static void combine(long *into, const long *from) {
  *into += *from;
  combined++;
  seen_combining += state() == ST_REDUC;
}
#pragma omp declare reduction(watched : long : combine(&omp_out, &omp_in)) initializer(omp_priv = 0)

/* What compilers call where a processor has no atomic instruction for a type. */
/* Too wide for a processor's own: the runtime takes a lock. It has long double's on x86 only. */
void __kmpc_atomic_cmplx8_add(void *, int, double _Complex *, double _Complex);
int __kmpc_global_thread_num(void *);

/* Every event, so many times as the constructs say. */
__attribute__((noinline)) static void all(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  static int sum;
  static double _Complex wide;
  for (int times = 0; times < 3; times++) {
#pragma omp parallel num_threads(4)
    {
      CHECK(state() == ST_WORK);
      omp_set_lock(&lock);
      nap(100);
      omp_unset_lock(&lock);
      if (omp_test_lock(&lock)) omp_unset_lock(&lock);
      omp_set_nest_lock(&nest), omp_set_nest_lock(&nest);
      omp_unset_nest_lock(&nest), omp_unset_nest_lock(&nest);
#pragma omp critical
      nap(100);
#pragma omp barrier
#pragma omp for ordered schedule(static, 1)
      for (int i = 0; i < 8; i++) {
#pragma omp ordered
        sum += i;
      }
#pragma omp master
      CHECK(state() == ST_WORK);
#pragma omp single
      nap(10);
#pragma omp for reduction(+ : sum)
      for (int i = 0; i < 8; i++) sum += i;
      __kmpc_atomic_cmplx8_add(NULL, __kmpc_global_thread_num(NULL), &wide, 1);
    }
    CHECK(state() == ST_SERIAL && prid() == 0);
  }
  CHECK(wide == 12);
  stop();
  check_heard();
  for (int event = EV_FORK; event <= EV_LAST; event++) printf("count event=%d times=%d\n", event, count[event]);
}

/* Up to four threads combine in a critical section, more of them one with the next. */
__attribute__((noinline)) static void reduces(void) {
  for (int threads = 2; threads <= 8; threads += 6) {
    combined = seen_combining = 0;
    for (int times = 0; times < 10; times++) {
      long sum[2] = {0};
#pragma omp parallel for num_threads(threads) reduction(watched : sum[ : 2])
      for (int i = 0; i < 100; i++) sum[i % 2]++;
      CHECK(sum[0] == 50 && sum[1] == 50);
    }
    printf("reduced threads=%d combined=%d seen=%d\n", threads, combined, seen_combining);
  }
  stop();
}

static _Atomic uint64_t forked, around;
static void on_fork(int event) {
  CHECK(event == EV_FORK && state() == ST_OVHD);
  forked = prid();
  record it = {0};
  CHECK(ask(api, REQ_PARENT_PRID, &it) == EC_OK);
  around = it.mem.region;
}

/* All threads of a team have its id, from FORK to its end, and its primary thread the id around. */
__attribute__((noinline)) static void nested(void) {
  omp_set_max_active_levels(8);
  uint64_t before = 0;
  for (int times = 0; times < 20; times++) {
#pragma omp parallel num_threads(3)
    {
      uint64_t outer = prid();
      CHECK(outer > before);
#pragma omp barrier
#pragma omp master
      {
        CHECK(outer == forked && around == 0 && parent() == 0);
        before = outer;
      }
#pragma omp barrier
      CHECK(before == outer);
      record it = {0};
      if (omp_get_thread_num()) CHECK(ask(api, REQ_PARENT_PRID, &it) == EC_THREAD);
      _Atomic uint64_t inner = 0;
#pragma omp parallel num_threads(2)
      {
        uint64_t mine = prid(), none = 0;
        CHECK(mine > outer);
        if (!atomic_compare_exchange_strong(&inner, &none, mine)) CHECK(none == mine);
        if (omp_get_thread_num() == 0) CHECK(parent() == outer);
      }
      CHECK(prid() == outer);
      /* One thread: a region all the same. In it another one, and a real one. */
#pragma omp parallel num_threads(1)
      {
        uint64_t single = prid();
        CHECK(single > outer && parent() == outer);
#pragma omp parallel num_threads(1)
        {
          uint64_t deeper = prid();
          CHECK(deeper > single && parent() == single);
#pragma omp parallel num_threads(2)
          {
            CHECK(prid() > deeper);
            if (omp_get_thread_num() == 0) CHECK(parent() == deeper);
#pragma omp barrier
          }
          CHECK(prid() == deeper);
        }
        CHECK(prid() == single && parent() == outer && state() == ST_WORK);
      }
      CHECK(prid() == outer && state() == ST_WORK);
#pragma omp barrier
      /* Tasks run in their team's region, and begin regions of their own. */
#pragma omp single
      for (int k = 0; k < 12; k++) {
#pragma omp task
        {
          CHECK(prid() == outer);
#pragma omp parallel num_threads(2)
          CHECK(prid() > outer);
          CHECK(prid() == outer);
        }
      }
      CHECK(prid() == outer);
    }
    CHECK(prid() == 0 && parent() == 0 && state() == ST_SERIAL);
  }
#pragma omp teams num_teams(2) thread_limit(1)
  {
    uint64_t league = prid();
    CHECK(league > before);
#pragma omp parallel num_threads(1)
    CHECK(prid() > league);
    CHECK(prid() == league);
  }
  CHECK(prid() == 0);
  stop();
}

/* A session that begins inside a region: the threads of one team have one id, which is none of those that come after. */
__attribute__((noinline)) static void midway(void) {
  for (int times = 0; times < 3; times++) {
    _Atomic uint64_t id = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp single
      CHECK(simple(REQ_START) == EC_OK);
      uint64_t mine = prid(), none = 0;
      CHECK(mine >> 63 && state() == ST_WORK);
      if (!atomic_compare_exchange_strong(&id, &none, mine)) CHECK(none == mine);
      record it = {0};
      CHECK(ask(api, REQ_PARENT_PRID, &it) == (omp_get_thread_num() ? EC_THREAD : EC_OK));
#pragma omp parallel num_threads(1)
      {
        CHECK(prid() >> 63 == 0 && prid() != 0);
        CHECK(parent() == mine);
      }
      CHECK(prid() == mine);
#pragma omp barrier
    }
    CHECK(prid() == 0 && state() == ST_SERIAL);
#pragma omp parallel num_threads(3)
    CHECK(prid() != 0 && prid() >> 63 == 0);
    CHECK(prid() == 0);
    stop();
  }
}

/* Waits are seen from outside, in a handler, with the id of what is waited for. */
static atomic_int asked_state;
static _Atomic uint64_t asked_id;
static atomic_int asked_size;
static void ask_in_handler(int signal) {
  (void)signal;
  record it = {0};
  CHECK(ask(api, REQ_STATE, &it) == EC_OK);
  asked_id = it.mem.state.wait_id;
  asked_size = it.rsz;
  asked_state = it.mem.state.state;
}
static int state_from_outside(pid_t thread) {
  asked_state = 0;
  CHECK(syscall(SYS_tgkill, getpid(), thread, SIGUSR1) == 0);
  while (!asked_state) nap(50);
  return asked_state;
}
static void expect(pid_t thread, int right, int size) {
  for (int times = 0; times < 20000 && state_from_outside(thread) != right; times++) nap(100);
  if (asked_state != right) fprintf(stderr, "state %d instead of %d\n", asked_state, right);
  CHECK(asked_state == right && asked_size == size);
}
static atomic_int ready;
static void hold(int kind, pid_t other) {
  if (kind == 0) {
    omp_set_lock(&lock), ready = 1;
    expect(other, ST_LKWT, 16);
    CHECK(asked_id != 0);
    omp_unset_lock(&lock);
  } else if (kind == 1) {
    omp_set_nest_lock(&nest), ready = 2;
    expect(other, ST_LKWT, 16);
    omp_unset_nest_lock(&nest);
  } else if (kind == 2) {
#pragma omp critical(one)
    {
      ready = 3;
      expect(other, ST_CTWT, 16);
    }
  } else {
    ready = kind + 1;
    expect(other, kind == 3 ? ST_EBAR : ST_WORK, 4);
    ready = 0;
  }
}
static void want(int kind) {
  while (kind < 3 && ready != kind + 1) nap(50);
  if (kind == 0) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  } else if (kind == 1) {
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  } else if (kind == 2) {
#pragma omp critical(one)
    ready = 0;
  } else if (kind == 4) {
    while (ready != 5) {}
    while (ready == 5) {}
  }
}
__attribute__((noinline)) static void waits(void) {
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = ask_in_handler, .sa_flags = SA_RESTART}, NULL);
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  static pid_t other;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num()) other = (pid_t)syscall(SYS_gettid);
    for (int kind = 0; kind < 5; kind++) {
#pragma omp barrier
      if (omp_get_thread_num() == 0)
        hold(kind, other);
      else
        want(kind);
    }
#pragma omp barrier
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 2; i++) {
#pragma omp ordered
      if (i == 0) {
        expect(other, ST_ODWT, 16);
      }
    }
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 2; i++)
      if (i == 0) expect(other, ST_IBAR, 4);
  }
  /* The region is over: whatever the runtime still calls a barrier. */
  expect(other, ST_IDLE, 4);
  stop();
}

int main(int argc, char **argv) {
  api = find_collector_api();
  heard = calloc(THREADS, sizeof *heard);
  CHECK(api && heard);
  for (int k = 1; k < argc; k++) {
    /* START stands here: compilers begin the runtime where a function begins that uses OpenMP. */
    if (!strcmp(argv[k], "all")) {
      start();
      all();
    } else if (!strcmp(argv[k], "reduces")) {
      CHECK(simple(REQ_START) == EC_OK);
      reduces();
    } else if (!strcmp(argv[k], "nested")) {
      CHECK(simple(REQ_START) == EC_OK && register_for(api, EV_FORK, on_fork) == EC_OK);
      nested();
    } else if (!strcmp(argv[k], "midway")) {
      CHECK(simple(REQ_START) == EC_OK && simple(REQ_STOP) == EC_OK);
      midway();
    } else if (!strcmp(argv[k], "waits")) {
      CHECK(simple(REQ_START) == EC_OK);
      waits();
    } else {
      CHECK(!"a scene");
    }
    printf("ok scene=%s\n", argv[k]);
  }
  return 0;
}
