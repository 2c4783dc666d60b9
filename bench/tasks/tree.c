// fault: none
/* tree - a tree of no particular shape is walked, with a task of some 20 microseconds for each node. tree [NODES] */
#include "program.h"

enum { STEPS = 10000 };

struct node {
  uint64_t key;
  struct node *less, *more;
};

static uint64_t found;

static void visit(const struct node *node) {
  const struct node *below[] = {node->less, node->more};
  for (int at = 0; at < 2; at++)
    if (below[at] != NULL) {
      const struct node *next = below[at];
#pragma omp task
      visit(next);
    }
  uint64_t sum = scramble(node->key, STEPS);
#pragma omp atomic
  found += sum;
}

int main(int argc, char **argv) {
  int count = read_size(argc, argv, 40000, 1, 1000000);
  struct node *nodes = reserve((size_t)count * sizeof *nodes);
  uint64_t expected = 0;
  for (int at = 0; at < count; at++) {
    nodes[at] = (struct node){scramble((uint64_t)at + 1, 4), NULL, NULL};
    struct node **place = &(struct node *){nodes};
    while (at > 0 && *place != NULL)
      place = nodes[at].key < (*place)->key ? &(*place)->less : &(*place)->more;
    *place = nodes + at;
  }
#pragma omp parallel
#pragma omp single
  visit(nodes);
#pragma omp parallel for reduction(+ : expected)
  for (int at = 0; at < count; at++)
    expected += scramble(nodes[at].key, STEPS);
  free(nodes);
  return verify(found, expected);
}
