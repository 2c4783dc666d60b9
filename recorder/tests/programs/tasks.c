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
