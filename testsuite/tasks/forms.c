// Every way in which a task can be created. Prints how many ran of each, which no tool may change.
#include <stdint.h>
#include <stdio.h>

// Set by the oracle when it is the tool: what a task runs counts on the oracle's clock, so that no creation can
// contain it unseen.
__attribute__((visibility("default"))) void (*oracle_hook)(unsigned, unsigned long, unsigned long, const uint64_t *);

enum { PLAIN, UNTIED, IF0, IF, FINAL, DEPEND, DEPEND_IF0, ITERATED, LOOP, INSIDE, WORKSHARED, DEALT, MANY, PARENT, FORMS };
static int ran[FORMS];

static void run(int form) {
  __atomic_fetch_add(&ran[form], 1, __ATOMIC_RELAXED);
  if (oracle_hook) oracle_hook(0, 0, 0, NULL);
}
#define RUN(form) run(form)

static void inside(int depth) {
  RUN(INSIDE);
  if (depth > 0) {
#pragma omp task if (depth % 2)
    inside(depth - 1);
#pragma omp task if (0)
    inside(depth - 1);
  }
}

static void create(int n, int *p) {
  static int places[8];
  for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
    RUN(PLAIN);
#pragma omp task untied
    {
      RUN(UNTIED);
#pragma omp taskyield
    }
#pragma omp task if (0)
    RUN(IF0);
    // Its dependences are an array of variable size, which moves the stack pointer.
#pragma omp task depend(iterator(k = 0 : 1 + n % 7), inout : places[k])
    RUN(ITERATED);
#pragma omp task if (i % 2) mergeable
    RUN(IF);
#pragma omp task final(i % 2) priority(i)
    RUN(FINAL);
#pragma omp task depend(inout : p[0]) depend(in : p[1])
    RUN(DEPEND);
#pragma omp task depend(inout : p[0]) if (i % 3)
    RUN(DEPEND_IF0);
  }
#pragma omp taskloop num_tasks(5)
  for (int i = 0; i < n; i++) RUN(LOOP);
#pragma omp taskloop grainsize(4) nogroup
  for (int i = 0; i < n; i++) RUN(LOOP);
#pragma omp task
  inside(3);
  // Runs at once where there is one thread: what follows the creation inside is no part of its own.
#pragma omp task
  {
    RUN(PARENT);
#pragma omp task
    RUN(INSIDE);
    RUN(PARENT);
  }
  // More than a queue holds: the thread that creates them runs some at once.
  for (int i = 0; i < 600; i++) {
#pragma omp task
    RUN(MANY);
  }
}

int main(void) {
  int p[2] = {0, 0};
#pragma omp parallel
  {
#pragma omp single
    create(10, p);
#pragma omp for schedule(static, 3)
    for (int i = 0; i < 20; i++) {
#pragma omp task
      RUN(WORKSHARED);
    }
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 20; i++) {
#pragma omp task
      RUN(DEALT);
    }
  }
  create(3, p);
  for (int form = 0; form < FORMS; form++) printf("%d: %d\n", form, ran[form]);
  return 0;
}
