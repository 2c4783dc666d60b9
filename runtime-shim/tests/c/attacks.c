//--- collector-library.c
/* A collector in a library: starts where it is loaded, and stops where it is closed. */
#include "collector.h"

static atomic_long forks, joins, barriers;
static void hear(int event) { atomic_fetch_add(event == EV_FORK ? &forks : event == EV_JOIN ? &joins : &barriers, 1); }

__attribute__((constructor)) static void begin(void) {
  api = find_collector_api();
  if (!api) {
    fprintf(stderr, "no __omp_collector_api\n");
    return;
  }
  CHECK(simple(REQ_START) == EC_OK);
  CHECK(register_for(api, EV_FORK, hear) == EC_OK && register_for(api, EV_JOIN, hear) == EC_OK);
  CHECK(register_for(api, EV_IBAR, hear) == EC_OK);
}

__attribute__((destructor)) static void end(void) {
  if (api && simple(REQ_STOP) == EC_OK) {
    printf("collector forks=%ld joins=%ld barriers=%ld\n", forks, joins, barriers);
    fflush(stdout);
  }
}
//--- collector-attacks.c
/* What could hurt the OpenMP Collector API. Each word of the command line is a scene. */
#include "collector.h"

static atomic_long heard[EV_LAST + 1];
static void hear(int event) {
  CHECK(event >= EV_FORK && event <= EV_LAST);
  atomic_fetch_add(&heard[event], 1);
}
static int hear_all(void (*callback)(int)) {
  int refused = 0;
  for (int event = EV_FORK; event <= EV_LAST; event++) refused |= register_for(api, event, callback);
  return refused;
}

static omp_lock_t lock;
static long burn(int times) {
  long sum = 0;
  for (int k = 0; k < times; k++) {
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
      /* Not nonmonotonic: Debian's libomp may die of an assertion of its own there (LLVM issue 132164). */
#pragma omp for schedule(monotonic : dynamic, 3)
      for (int i = 0; i < 50; i++) sum += i;
      omp_set_lock(&lock);
      sum++;
      omp_unset_lock(&lock);
#pragma omp critical
      sum++;
#pragma omp single
      for (int i = 0; i < 4; i++) {
#pragma omp task
#pragma omp parallel num_threads(2)
        nap(1);
      }
#pragma omp barrier
#pragma omp master
      sum++;
    }
  }
  return sum;
}
enum { SUM = 1225 + 9 };

/* A profiler: each thread is interrupted every 100 microseconds, and asks. */
static atomic_long samples, of_state[12], in_region;
static _Thread_local volatile uint64_t expected;
static _Thread_local volatile int armed;
static timer_t timers[256];
static atomic_int timers_used;
static void sample(int signal) {
  (void)signal;
  int before = errno;
  errno = 99;
  _Alignas(8) int32_t list[16] = {32, REQ_STATE, 77, 77, 0, 0, 0, 0, 24, REQ_CURRENT_PRID};
  CHECK(api(list) == 0 && errno == 99 && list[2] == EC_OK && list[10] == EC_OK);
  uint64_t id;
  memcpy(&id, list + 12, 8);
  CHECK(list[4] >= ST_OVHD && list[4] <= ST_ATWT);
  if (expected) CHECK(id == expected && list[4] == ST_WORK);
  if (id) in_region++;
  if (list[4] == ST_SERIAL || list[4] == ST_IDLE) CHECK(id == 0);
  of_state[list[4]]++;
  samples++;
  errno = before;
}
static void arm(void) {
  if (armed) return;
  armed = 1;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  int k = atomic_fetch_add(&timers_used, 1);
  CHECK(k < 256 && timer_create(CLOCK_MONOTONIC, &event, &timers[k]) == 0);
  struct itimerspec often = {{0, 100000}, {0, 100000}};
  CHECK(timer_settime(timers[k], 0, &often, NULL) == 0);
}
static int enough(void) { return samples > 5000 && in_region > 1000 && of_state[ST_WORK] > 1000; }
__attribute__((noinline)) static void profile(void) {
  sigaction(SIGPROF, &(struct sigaction){.sa_handler = sample, .sa_flags = SA_RESTART}, NULL);
  arm();
  omp_set_max_active_levels(3);
  double begin = omp_get_wtime();
  long sum = 0, times = 0;
  /* Longer where others have the processors. */
  while (omp_get_wtime() - begin < (enough() ? 3 : 60)) {
#pragma omp parallel num_threads(4)
    {
      arm();
      expected = prid();
      for (volatile int k = 0; k < 30000; k++) {}
      expected = 0;
#pragma omp parallel num_threads(1 + omp_get_thread_num() % 2)
      {
        arm();
        expected = prid();
        for (volatile int k = 0; k < 10000; k++) {}
        expected = 0;
      }
    }
    sum += burn(1), times++;
  }
  for (int k = 0; k < timers_used; k++) timer_delete(timers[k]);
  CHECK(sum == times * SUM || sum > times * 1000);
  CHECK(enough());
  printf("sampled times=%ld threads=%d\n", samples, timers_used);
}

/* Requests from everywhere while regions run. */
static atomic_int over;
static void *disturb(void *number) {
  unsigned seed = (unsigned)(uintptr_t)number;
  while (!over) {
    seed = seed * 1103515245 + 12345;
    switch (seed >> 28) {
    case 0: simple(REQ_STOP); break;
    case 1: case 2: simple(REQ_START); break;
    case 3: simple(REQ_PAUSE); break;
    case 4: case 5: simple(REQ_RESUME); break;
    case 6: { record it = {.mem.reg.event = 1 + (int)(seed >> 8) % EV_LAST}; ask(api, REQ_UNREGISTER, &it); break; }
    case 7: state(); prid(); parent(); break;
    default: register_for(api, 1 + (int)(seed >> 8) % EV_LAST, hear);
    }
    if (seed >> 20 & 1) nap(20);
  }
  return NULL;
}
__attribute__((noinline)) static void storm(void) {
  pthread_t threads[4];
  for (uintptr_t k = 0; k < 4; k++) CHECK(pthread_create(&threads[k], NULL, disturb, (void *)(k + 1)) == 0);
  double begin = omp_get_wtime();
  while (omp_get_wtime() - begin < 3) CHECK(burn(5) > 0);
  over = 1;
  for (int k = 0; k < 4; k++) pthread_join(threads[k], NULL);
  simple(REQ_STOP);
  /* As good as new. */
  CHECK(simple(REQ_START) == EC_OK && hear_all(hear) == EC_OK);
  long before = heard[EV_FORK];
  burn(3);
  CHECK(heard[EV_FORK] > before && simple(REQ_STOP) == EC_OK);
}

/* Only one of many STARTs and one of many STOPs is answered with OK. */
static void *race(void *won) {
  for (int k = 0; k < 20000; k++) {
    if (simple(REQ_START) == EC_OK) {
      CHECK(atomic_fetch_add((atomic_int *)won, 1) == 0);
      CHECK(atomic_fetch_sub((atomic_int *)won, 1) == 1);
      CHECK(simple(REQ_STOP) == EC_OK);
    }
  }
  return NULL;
}
static void starts(void) {
  pthread_t threads[4];
  atomic_int won = 0;
  for (int k = 0; k < 4; k++) CHECK(pthread_create(&threads[k], NULL, race, &won) == 0);
  for (int k = 0; k < 4; k++) pthread_join(threads[k], NULL);
  CHECK(simple(REQ_START) == EC_OK && simple(REQ_STOP) == EC_OK);
}

/* Callbacks that change what is registered, and that use OpenMP. */
static int mode;
static atomic_long deep;
static void inside(int event) {
  hear(event);
  static _Thread_local int depth;
  CHECK(depth == 0);
  depth++;
  record it = {.mem.reg.event = event};
  if (mode == 0) {
    CHECK(ask(api, REQ_UNREGISTER, &it) == EC_OK);
  } else if (mode == 1) {
    int code = simple(REQ_STOP);
    CHECK(code == EC_OK || code == EC_SEQUENCE);
  } else if (mode == 2) {
    omp_set_lock(&lock);
    deep++;
    omp_unset_lock(&lock);
#pragma omp critical(in_callback)
    deep++;
    simple(REQ_PAUSE), simple(REQ_RESUME);
    CHECK(register_for(api, EV_JOIN, inside) == EC_OK);
  } else if (event == EV_FORK) {
    uint64_t before = prid();
#pragma omp parallel num_threads(2)
    {
      CHECK(prid() == 0 || prid() > before);
#pragma omp atomic
      deep++;
    }
    CHECK(prid() == before);
  }
  depth--;
}
__attribute__((noinline)) static void reentrance(void) {
  omp_set_max_active_levels(3);
  for (mode = 0; mode < 4; mode++) {
    simple(REQ_STOP);
    CHECK(simple(REQ_START) == EC_OK);
    long before = heard[EV_FORK], deep_before = deep;
    CHECK((mode == 3 ? register_for(api, EV_FORK, inside) : hear_all(inside)) == EC_OK);
    /* What a callback waits for must not be what its thread holds. */
    for (int times = 0; times < 10; times++) {
#pragma omp parallel num_threads(3)
      {
#pragma omp barrier
      }
    }
    CHECK(heard[EV_FORK] - before == (mode < 2 ? 1 : 10));
    CHECK(mode < 2 || deep > deep_before);
  }
  CHECK(simple(REQ_STOP) == EC_OK);
}

/* STOP waits for the callbacks of other threads. */
static atomic_int in_callback, slept;
static void slow(int event) {
  (void)event;
  in_callback++;
  nap(50000);
  slept++;
  in_callback--;
}
static void *stopper(void *unused) {
  while (!in_callback) nap(10);
  CHECK(simple(REQ_STOP) == EC_OK && in_callback == 0 && slept > 0);
  return unused;
}
__attribute__((noinline)) static void quiesce(void) {
  for (int times = 0; times < 5; times++) {
    pthread_t thread;
    slept = 0;
    CHECK(times == 0 || simple(REQ_START) == EC_OK);
    CHECK(register_for(api, EV_EBAR, slow) == EC_OK);
    CHECK(pthread_create(&thread, NULL, stopper, NULL) == 0);
    while (!in_callback || !slept) {
#pragma omp parallel num_threads(3)
      {
#pragma omp barrier
      }
      if (simple(REQ_STATE) == EC_SEQUENCE) break;
    }
    pthread_join(thread, NULL);
  }
}

__attribute__((noinline)) static int plain_region(void) {
  int threads = 0;
#pragma omp parallel num_threads(3) reduction(+ : threads)
  {
    CHECK(simple(REQ_STATE) != EC_OK || prid() == 0 || state() == ST_WORK);
#pragma omp barrier
    threads++;
  }
  return threads;
}

/* A child of a thread in a region, and one of a thread in a callback. */
static void child(void) {
  CHECK(prid() != 0 || state() == ST_SERIAL);
  double begin = omp_get_wtime();
  CHECK(simple(REQ_STOP) == EC_OK);
  CHECK(simple(REQ_START) == EC_OK && hear_all(hear) == EC_OK && simple(REQ_STOP) == EC_OK);
  CHECK(omp_get_wtime() - begin < 0.5);
  _exit(7);
}
static void on_fork(int event) {
  (void)event;
  pid_t it = fork();
  if (it == 0) child();
  int status;
  CHECK(waitpid(it, &status, 0) == it && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  hear(event);
}
__attribute__((noinline)) static void forks(void) {
  for (int times = 0; times < 10; times++) {
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() == times % 4) {
      pid_t it = fork();
      if (it == 0) child();
      int status;
      CHECK(waitpid(it, &status, 0) == it && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
  }
  CHECK(register_for(api, EV_FORK, on_fork) == EC_OK);
  for (int times = 0; times < 5; times++) burn(1);
  CHECK(simple(REQ_STOP) == EC_OK);
  /* A child that goes on with OpenMP, as far as its runtime lets it. */
  fflush(stdout);
  pid_t it = fork();
  if (it == 0) {
    CHECK(simple(REQ_START) == EC_OK && hear_all(hear) == EC_OK);
    long before = heard[EV_FORK];
    int threads = plain_region();
    CHECK(threads == 3);
    printf("child forks=%ld\n", heard[EV_FORK] - before);
    CHECK(simple(REQ_STOP) == EC_OK);
    fflush(stdout);
    _exit(7);
  }
  int status;
  CHECK(waitpid(it, &status, 0) == it && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* Many threads, several levels; and a region that is cancelled. */
__attribute__((noinline)) static void many(void) {
  omp_set_max_active_levels(3);
  long before = heard[EV_FORK];
  atomic_int threads = 0;
#pragma omp parallel num_threads(300)
  {
    threads++;
    CHECK(prid() != 0);
    uint64_t mine = prid();
#pragma omp parallel num_threads(1)
    CHECK(prid() > mine);
    CHECK(prid() == mine);
#pragma omp barrier
  }
#pragma omp parallel num_threads(20)
  {
    uint64_t mine = prid();
#pragma omp parallel num_threads(10)
    CHECK(prid() > mine);
  }
  CHECK(threads == 300 && heard[EV_FORK] - before == 1 + 300 + 1 + 20 && heard[EV_JOIN] == heard[EV_FORK]);
  /* What PAUSE holds back is gone, ids go on, and what is registered meanwhile counts afterwards. */
  before = heard[EV_FORK];
  record fork_event = {.mem.reg.event = EV_FORK};
  CHECK(simple(REQ_PAUSE) == EC_OK && ask(api, REQ_UNREGISTER, &fork_event) == EC_OK);
  CHECK(plain_region() == 3 && register_for(api, EV_FORK, hear) == EC_OK && plain_region() == 3);
  CHECK(heard[EV_FORK] == before && simple(REQ_RESUME) == EC_OK && plain_region() == 3);
  CHECK(heard[EV_FORK] == before + 1 && heard[EV_JOIN] == before + 1);
  CHECK(simple(REQ_STOP) == EC_OK);
}
__attribute__((noinline)) static void cancelled(void) {
  for (int times = 0; times < 50; times++) {
#pragma omp parallel num_threads(4)
    {
      CHECK(prid() != 0);
      if (omp_get_thread_num() == times % 4) {
#pragma omp cancel parallel
      }
#pragma omp barrier
    }
    CHECK(prid() == 0 && state() == ST_SERIAL);
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 100; i++) {
#pragma omp cancel for if (i == times)
    }
  }
  CHECK(heard[EV_FORK] == 100 && heard[EV_JOIN] == 100 && simple(REQ_STOP) == EC_OK);
}

/* A collector's library that goes. */
static char *library;
__attribute__((noinline)) static void unloaded(void) {
  for (int times = 0; times < 30; times++) {
    void *it = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!it) fprintf(stderr, "%s\n", dlerror());
    CHECK(it);
    burn(2);
    dlclose(it);
    CHECK(!dlopen(library, RTLD_NOW | RTLD_NOLOAD));
    burn(1);
  }
}

int main(int argc, char **argv) {
  api = find_collector_api();
  /* Before the runtime begins, which is right here. */
  CHECK(api && simple(REQ_START) == EC_OK && simple(REQ_STOP) == EC_OK);
  omp_init_lock(&lock);
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "unloaded")) {
      library = argv[++k];
      unloaded();
    } else if (!strcmp(argv[k], "starts")) {
      starts();
    } else if (!strcmp(argv[k], "burn") || !strcmp(argv[k], "plain")) {
      int collects = argv[k][0] == 'b';
      CHECK(!collects || (simple(REQ_START) == EC_OK && hear_all(hear) == EC_OK));
      burn(20);
      CHECK(!collects || simple(REQ_STOP) == EC_OK);
      printf("burnt forks=%ld joins=%ld locks=%ld\n", heard[EV_FORK], heard[EV_JOIN], heard[EV_LKWT]);
    } else {
      CHECK(simple(REQ_START) == EC_OK);
      if (!strcmp(argv[k], "many") || !strcmp(argv[k], "cancelled") || !strcmp(argv[k], "profile-all"))
        CHECK(hear_all(hear) == EC_OK);
      if (!strncmp(argv[k], "profile", 7)) profile();
      else if (!strcmp(argv[k], "storm")) storm();
      else if (!strcmp(argv[k], "reentrance")) reentrance();
      else if (!strcmp(argv[k], "quiesce")) quiesce();
      else if (!strcmp(argv[k], "forks")) forks();
      else if (!strcmp(argv[k], "many")) many();
      else if (!strcmp(argv[k], "cancelled")) cancelled();
      else CHECK(!"a scene");
    }
    printf("ok scene=%s\n", argv[k]);
  }
  return 0;
}
