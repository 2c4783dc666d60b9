/* Loops of every kind, by teams of all sizes, from several roots, in regions inside regions, and whether each of
 * their iterations ran once. What a region counts is its own, so that nothing hides behind another team.
 *
 * attack MODE: see main. Prints what was wrong, and last how many iterations ran. */
#include "program.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 203, LOOPS_HERE = 14 };

static unsigned long total, wrong;

#define ONCE(loop, index) __atomic_fetch_add(&(*ran)[loop][index], 1, __ATOMIC_RELAXED)

/* Runs in the middle of the second loop of a team, if it is set. */
static void (*in_the_middle)(void);

typedef unsigned short ran_t[LOOPS_HERE][N];

/* Orphaned, so that any team may come. */
__attribute__((noinline)) static void work(ran_t *ran, int n) {
#pragma omp for
  for (int i = 0; i < n; i++) ONCE(0, i);
#pragma omp for schedule(static, 3)
  for (unsigned long i = 0; i < (unsigned long)n; i++) {
    ONCE(1, i);
    if (i == 7 && in_the_middle) in_the_middle();
  }
#pragma omp for schedule(dynamic, 2)
  for (int i = n - 1; i >= 0; i--) ONCE(2, i);
  /* More in flight than the seven that runtimes keep at a time. */
#pragma omp for nowait
  for (int i = 0; i < n; i++) ONCE(3, i);
#pragma omp for schedule(static, 1) nowait
  for (long i = -5; i < n - 5; i++) ONCE(4, i + 5);
#pragma omp for nowait
  for (unsigned i = 0; i < (unsigned)n; i++) ONCE(5, i);
#pragma omp for schedule(static, 2) nowait
  for (int i = INT_MAX - n; i < INT_MAX; i++) ONCE(6, i - (INT_MAX - n));
#pragma omp for nowait
  for (int i = INT_MIN; i < INT_MIN + n; i++) ONCE(7, (long)i - INT_MIN);
#pragma omp for schedule(guided) nowait
  for (unsigned long i = ULONG_MAX - (unsigned long)n; i < ULONG_MAX; i++) ONCE(8, i + 1 + (unsigned long)n);
#pragma omp for nowait
  for (int i = 0; i < n / 7 * 7; i += 7) {
    for (int j = i; j < i + 7; j++) ONCE(9, j);
  }
#pragma omp for nowait
  for (int i = 5; i < 5 - n; i++) ONCE(0, 0);
#pragma omp for simd schedule(static, 4) nowait
  for (int i = 0; i < n; i++) ONCE(10, i);
#pragma omp for collapse(2) nowait
  for (int i = 0; i < n / 7; i++)
    for (int j = 0; j < 7; j++) ONCE(11, i * 7 + j);
#pragma omp for schedule(runtime) nowait
  for (int i = 0; i < n; i++) ONCE(12, i);
#pragma omp for
  for (int i = 0; i < n; i++) ONCE(13, i);
}

static void check(ran_t *ran, int n, const char *where) {
  for (int loop = 0; loop < LOOPS_HERE; loop++) {
    int most = loop == 9 || loop == 11 ? n / 7 * 7 : n;
    for (int i = 0; i < N; i++) {
      int right = i < most;
      if ((*ran)[loop][i] == right) continue;
      if (__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 5)
        printf("%s: loop %d: iteration %d of %d ran %d times\n", where, loop, i, most, (*ran)[loop][i]);
    }
    __atomic_fetch_add(&total, (unsigned long)most, __ATOMIC_RELAXED);
  }
}

static void region(int threads, int n, const char *where) {
  ran_t *ran = calloc(1, sizeof *ran);
#pragma omp parallel num_threads(threads)
  work(ran, n);
  check(ran, n, where);
  free(ran);
}

/* Teams of changing size, regions inside regions, leagues. */
static void *root(void *argument) {
  int rounds = (int)(long)argument;
  for (int round = 0; round < rounds; round++) {
    int threads = 1 + round % 4, n = round % 5 ? N - round : round;
    region(threads, n, "region");
#pragma omp parallel num_threads(2)
    region(1 + (round + omp_get_thread_num()) % 3, n, "region inside");
    if (round % 3 == 0) {
      ran_t *ran = calloc(2, sizeof *ran);
      int teams[2] = {0, 0};
#pragma omp teams num_teams(2) thread_limit(3)
      {
        extern int omp_get_team_num(void);
        int team = omp_get_team_num();
        teams[team] = 1;
#pragma omp parallel num_threads(1 + round % 3)
        work(ran + team, n);
      }
      for (int team = 0; team < 2; team++)
        if (teams[team]) check(ran + team, n, "team of a league");
      free(ran);
    }
    ran_t *alone = calloc(1, sizeof *alone);
    work(alone, n);
    check(alone, n, "no region");
    free(alone);
  }
  return NULL;
}

/* The same team, called by one task after the other: they lie at different places, or one where another was. */
__attribute__((noinline)) static void by_tasks(int depth, int threads) {
  region(threads, N, "region of a task");
  if (!depth) return;
  for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(depth, threads, i)
    by_tasks(depth - 1, threads);
  }
#pragma omp taskwait
  region(threads, N, "region after tasks");
}

static void roots(int count, int rounds) {
  pthread_t threads[16];
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, root, (void *)(long)rounds);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static const char *library;

static void *open_library(void) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  if (!handle) printf("%s\n", dlerror()), exit(2);
  return handle;
}

static void open_and_run(void) {
  static int opened;
  if (__atomic_exchange_n(&opened, 1, __ATOMIC_RELAXED)) return;
  void *handle = open_library();
  long (*part)(void) = (long (*)(void))dlsym(handle, "part");
  if (part && part()) printf("the library's loop went wrong\n"), wrong++;
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  int number = count > 2 ? atoi(arguments[2]) : 0;
  omp_set_max_active_levels(2);
  if (!strcmp(mode, "roots")) {
    roots(number, count > 3 ? atoi(arguments[3]) : 12);
  } else if (!strcmp(mode, "many")) {
    /* All that the environment gives. */
    for (int round = 0; round < number; round++) region(omp_get_max_threads(), N - round, "many");
  } else if (!strcmp(mode, "tasks")) {
    for (int round = 0; round < number; round++) {
      by_tasks(2, 3);
#pragma omp parallel num_threads(2)
#pragma omp single
      by_tasks(2, 2);
    }
  } else if (!strcmp(mode, "teams")) {
    /* Many teams that begin and end at the same time, each with its regions in a row. */
#pragma omp parallel num_threads(4)
    for (int round = 0; round < number; round++) region(2 + round % 2, 24, "one of several teams");
  } else if (!strcmp(mode, "fork")) {
    root((void *)3);
    for (int round = 0; round < number; round++) {
      fflush(stdout);
      pid_t child = fork();
      if (!child) {
        root((void *)2);
        _exit(wrong != 0);
      }
      region(3, N, "parent");
      int status = 1;
      waitpid(child, &status, 0);
      if (status) printf("the child went wrong\n"), wrong++;
    }
  } else if (!strcmp(mode, "open")) {
    library = arguments[2];
    in_the_middle = open_and_run;
    for (int round = 0; round < 6; round++) region(3, N, "open");
  } else if (!strcmp(mode, "again") || !strcmp(mode, "kept")) {
    /* Libraries one after the other, at one address if the loader likes; or each stays where it is. */
    for (int at = 2; at < count; at++) {
      library = arguments[at];
      void *handle = open_library();
      int (*hands)(void) = (int (*)(void))dlsym(handle, "hands");
      printf("%d\n", hands());
      if (*mode == 'a') dlclose(handle);
    }
  }
  printf("%lu iterations, %lu wrong\n", total, wrong);
  return wrong != 0;
}
