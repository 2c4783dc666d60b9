//--- mixed.c
/* Loops of all kinds, and what each thread ran of them: one line "THREAD LINE LOWER ITERATIONS VALUE" per
 * chunk, counted in the loops' own bodies; VALUE is the user's variable in the chunk's first iteration.
 * Arguments: repetitions, threads. */
#include <stdio.h>
#include <stdlib.h>

/* Not every clang of a distribution comes with an omp.h. */
int omp_get_thread_num(void);

#define MOST 4096

struct mine {
  long chunks, lower[MOST], count[MOST], value[MOST];
  int line[MOST];
  long last;
} __attribute__((aligned(64)));

static struct mine all[64];
/* A team of one thread is dealt each loop as one chunk. */
static int alone;

/* Iteration k of the loop in `line` runs on this thread: goes on with a chunk of `size`, or begins one. */
static void ran(int thread, int line, long k, long size, long value) {
  struct mine *mine = &all[thread];
  long at = mine->chunks - 1;
  if (at < 0 || mine->line[at] != line || mine->last + 1 != k || (!alone && k % size == 0)) {
    if (++at >= MOST)
      abort();
    mine->chunks = at + 1;
    mine->line[at] = line;
    mine->lower[at] = k;
    mine->count[at] = 0;
    mine->value[at] = value;
  }
  mine->count[at]++;
  mine->last = k;
}

static void forget(int thread) { all[thread].last = -2; }

int main(int argc, char **argv) {
  int repetitions = argc > 1 ? atoi(argv[1]) : 1, threads = argc > 2 ? atoi(argv[2]) : 2;
  long start = 100 + argc;
  alone = threads == 1;
  for (int r = 0; r < repetitions; r++) {
#pragma omp parallel num_threads(threads)
    {
      int t = omp_get_thread_num();
      forget(t);
#pragma omp for schedule(static, 3)
      for (int i = 0; i < 100; i++)
        ran(t, 50, i, 3, i);
      forget(t);
#pragma omp for schedule(static)
      for (long i = start; i > start - 150; i -= 3)
        ran(t, 54, (start - i) / 3, 1000, i);
      forget(t);
#pragma omp for schedule(dynamic, 5)
      for (int i = 0; i < 42; i++)
        ran(t, 58, i, 5, i);
      forget(t);
#pragma omp for schedule(static, 1) nowait
      for (unsigned long i = 7; i < 20; i += 2)
        ran(t, 62, (i - 7) / 2, 1, i);
      forget(t);
#pragma omp single
      (void)0;
#pragma omp barrier
    }
  }
  for (int t = 0; t < threads; t++)
    for (long c = 0; c < all[t].chunks; c++)
      printf("%d %d %ld %ld %ld\n", t, all[t].line[c], all[t].lower[c], all[t].count[c], all[t].value[c]);
  return 0;
}
//--- tasks.c
/* tasks KIND N: creates explicit tasks of that kind, on two threads unless it says otherwise, and prints how many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not every compiler of the tests comes with omp.h. */
typedef unsigned long omp_event_handle_t;
void omp_fulfill_event(omp_event_handle_t);

static long created;
static volatile long sink;

static void count(long tasks) {
#pragma omp atomic
  created += tasks;
}

static void work(long units) {
  for (long i = 0; i < units; i++) sink = i;
}

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
  count(2);
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

/* Nobody waits but the barrier: a parent ends before its children. */
static void tree(int depth) {
  work(10);
  if (depth == 0) return;
  count(2);
#pragma omp task
  tree(depth - 1);
#pragma omp task
  tree(depth - 1);
}

static void untied(int n) {
  for (int i = 0; i < n; i++) {
    count(1);
#pragma omp task untied
    {
      work(10);
#pragma omp taskyield
      count(1);
#pragma omp task untied
      work(10);
#pragma omp taskwait
      work(10);
    }
  }
}

static void undeferred(int n) {
  for (int i = 0; i < n; i++) {
    count(2);
#pragma omp task if (0)
    {
#pragma omp task if (0)
      work(10);
    }
  }
}

static void taskloop(int n) {
  count(n);
#pragma omp taskloop num_tasks(n)
  for (int i = 0; i < 10 * n; i++) work(10);
}

static void taskgroup(int n) {
#pragma omp taskgroup
  for (int i = 0; i < n; i++) {
    count(2);
#pragma omp task
    {
#pragma omp task
      work(10);
    }
  }
  work(10);
}

static void detached(int n) {
  for (int i = 0; i < n; i++) {
    omp_event_handle_t event;
    count(2);
#pragma omp task detach(event)
    work(10);
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
  }
}

static void wavefront(int n) {
  static char cells[64][64];
  n = n > 64 ? 64 : n;
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++) {
      count(1);
#pragma omp task depend(in : cells[i - 1][j], cells[i][j - 1]) depend(out : cells[i][j])
      work(10);
    }
}

static void nested(int n) {
  for (int i = 0; i < n; i++) {
    count(1);
#pragma omp task
    {
#pragma omp parallel num_threads(2)
#pragma omp single
      for (int k = 0; k < 3; k++) {
        count(1);
#pragma omp task
        work(10);
      }
    }
  }
}

/* One after the other: the span is the work. */
static void chain(int n) {
  for (int i = 0; i < n; i++) {
    count(1);
#pragma omp task
    work(100000);
#pragma omp taskwait
  }
}

/* The same by a dependence, by waiting for one, and by tasks that are not deferred. */
static void ordered(int n) {
  int link = 0;
  for (int i = 0; i < n; i++) {
    count(1);
#pragma omp task depend(inout : link)
    work(100000);
  }
}

static void awaited(int n) {
  int link = 0;
  for (int i = 0; i < n; i++) {
    count(1);
#pragma omp task depend(out : link)
    work(100000);
#pragma omp taskwait depend(in : link)
  }
}

static void in_turn(int n) {
  for (int i = 0; i < n; i++) {
    count(1);
#pragma omp task if (0)
    work(100000);
  }
}

/* All at once: the span is that of the longest. */
static void fan(int n) {
  for (int i = 0; i < n; i++) {
    count(1);
#pragma omp task
    work(100000);
  }
}

static void run(const char *kind, int n) {
  if (!strcmp(kind, "fib"))
    fib(n);
  else if (!strcmp(kind, "tree"))
    tree(n);
  else if (!strcmp(kind, "untied"))
    untied(n);
  else if (!strcmp(kind, "undeferred"))
    undeferred(n);
  else if (!strcmp(kind, "taskloop"))
    taskloop(n);
  else if (!strcmp(kind, "taskgroup"))
    taskgroup(n);
  else if (!strcmp(kind, "detached"))
    detached(n);
  else if (!strcmp(kind, "wavefront"))
    wavefront(n);
  else if (!strcmp(kind, "nested"))
    nested(n);
  else if (!strcmp(kind, "chain"))
    chain(n);
  else if (!strcmp(kind, "ordered"))
    ordered(n);
  else if (!strcmp(kind, "awaited"))
    awaited(n);
  else if (!strcmp(kind, "in-turn"))
    in_turn(n);
  else if (!strcmp(kind, "fan")) fan(n);
}

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "fib";
  int n = argc > 2 ? atoi(argv[2]) : 10;
  if (!strcmp(kind, "serial")) {
    /* Outside of all regions. */
    fib(n);
  } else {
#pragma omp parallel num_threads(2)
#pragma omp single
    run(kind, n);
  }
  printf("%ld\n", created);
  return 0;
}
//--- teams.c
/* Nested regions on the inside of loops, and threads that come and go. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Not every clang of a distribution comes with an omp.h. */
int omp_get_thread_num(void);
void omp_set_max_active_levels(int levels);

static double data[64][1000];

static void nested(int depth) {
#pragma omp parallel for schedule(static, 2) num_threads(2)
  for (int i = 0; i < 8; i++) {
    data[omp_get_thread_num()][i] += depth;
    if (depth > 0) nested(depth - 1);
  }
}

static void *one(void *number) {
  int mine = (int)(long)number % 64;
#pragma omp parallel for schedule(static, 10) num_threads(1)
  for (int i = 0; i < 100; i++) data[mine][i] += i;
  return NULL;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 200;
  omp_set_max_active_levels(3);
  nested(2);
  for (long t = 0; t < threads; t++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, one, (void *)t) || pthread_join(thread, NULL)) return 1;
  }
  /* Teams of other sizes: workers learn late that their region has ended. */
  for (int size = 1; size <= 4; size++)
#pragma omp parallel for schedule(static, 5) num_threads(size)
    for (int i = 0; i < 100; i++) data[size][i] += i;
  return 0;
}
//--- waits.c
/* waits N: takes a lock, a nestable one, a critical section, an ordered section and explicit tasks a known number of times on two
   threads, and prints how often: locks, nestable locks, critical sections, ordered sections, tasks. */
#include <stdio.h>
#include <stdlib.h>

/* Not every compiler of the tests comes with omp.h. */
typedef struct {
  void *of_the_runtime;
} a_lock;
void omp_init_lock(a_lock *);
void omp_set_lock(a_lock *);
void omp_unset_lock(a_lock *);
void omp_init_nest_lock(a_lock *);
void omp_set_nest_lock(a_lock *);
void omp_unset_nest_lock(a_lock *);

static int fib(int n, long *tasks) {
  int a, b;
  if (n < 2) return n;
#pragma omp atomic
  *tasks += 2;
#pragma omp task shared(a)
  a = fib(n - 1, tasks);
#pragma omp task shared(b)
  b = fib(n - 2, tasks);
#pragma omp taskwait
  return a + b;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  long locked = 0, nested = 0, critical = 0, ordered = 0, tasks = 0, untied = 0;
  a_lock lock, nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) {
      omp_set_lock(&lock);
      locked++;
      omp_unset_lock(&lock);
      omp_set_nest_lock(&nest);
      omp_set_nest_lock(&nest);
      nested++;
      omp_unset_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
#pragma omp critical(in_the_loop)
      critical++;
    }
#pragma omp for schedule(dynamic, 3) ordered
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      ordered++;
    }
/* Not in a loop. */
#pragma omp critical(in_the_loop)
    critical++;
#pragma omp single
    {
      fib(12, &tasks);
      /* Run at once, and in pieces. */
      for (int i = 0; i < 100; i++) {
#pragma omp task if (i % 2)
#pragma omp atomic
        untied++;
#pragma omp task untied
        {
#pragma omp taskyield
#pragma omp atomic
          untied++;
        }
      }
    }
  }
  if (locked != n || nested != n || critical != n + 2 || ordered != n || untied != 200) return 1;
  printf("%d %d %d %d %ld\n", n, n, n + 2, n, tasks + 200);
  return 0;
}
