// Walks a list by a call in tail position and creates a task now and then: needs as much stack for a million nodes as
// for one. Then creates tasks that run at once, each in the one before.
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node *next;
  long value;
};
static long sum, deepest;

void walk(struct node *p);
void walk(struct node *p) {
  if (!p) return;
  if (p->value % 1000 == 0) {
#pragma omp task firstprivate(p)
    __atomic_fetch_add(&sum, p->value, __ATOMIC_RELAXED);
  }
  walk(p->next);
}

void dive(long depth);
void dive(long depth) {
#pragma omp task firstprivate(depth)
  {
    deepest = depth;
    if (depth > 1) dive(depth - 1);
  }
}

int main(int argc, char **argv) {
  long nodes = argc > 1 ? atol(argv[1]) : 1, depth = argc > 2 ? atol(argv[2]) : 1;
  struct node *all = calloc(nodes, sizeof *all);
  if (!all) return 1;
  for (long i = 0; i < nodes; i++) {
    all[i].value = i;
    all[i].next = i + 1 < nodes ? &all[i + 1] : NULL;
  }
#pragma omp parallel
#pragma omp single
  walk(all);
#pragma omp parallel num_threads(1)
  dive(depth);
  printf("%ld %ld\n", sum, deepest);
  free(all);
  return 0;
}
