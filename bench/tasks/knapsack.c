// fault: none
/* knapsack - what fits best, by trying with and without each thing: tasks for the first choices, calls below. knapsack [THINGS] */
#include "program.h"

enum { MOST = 40, CUTOFF = 9 };

static int weights[MOST], values[MOST];

static int best_of(int thing, int things, int room) {
  if (thing == things)
    return 0;
  int without = best_of(thing + 1, things, room);
  if (weights[thing] > room)
    return without;
  int with = values[thing] + best_of(thing + 1, things, room - weights[thing]);
  return with > without ? with : without;
}

static int best(int thing, int things, int room) {
  if (thing >= CUTOFF || thing == things)
    return best_of(thing, things, room);
  int with = 0, without = 0;
#pragma omp task shared(without)
  without = best(thing + 1, things, room);
  if (weights[thing] <= room) {
#pragma omp task shared(with)
    with = values[thing] + best(thing + 1, things, room - weights[thing]);
  }
#pragma omp taskwait
  return with > without ? with : without;
}

int main(int argc, char **argv) {
  int things = read_size(argc, argv, 29, 1, MOST), room = 0;
  for (int thing = 0; thing < things; thing++) {
    weights[thing] = 20 + thing * 37 % 61, values[thing] = 10 + thing * 53 % 47;
    room += weights[thing] / 2 + 1;
  }
  int found = 0;
#pragma omp parallel
#pragma omp single
  found = best(0, things, room);
  /* The same by the table of all rooms. */
  int *table = calloc((size_t)room + 1, sizeof *table);
  if (table == NULL)
    return 2;
  for (int thing = 0; thing < things; thing++)
    for (int left = room; left >= weights[thing]; left--) {
      int with = table[left - weights[thing]] + values[thing];
      table[left] = with > table[left] ? with : table[left];
    }
  int expected = table[room];
  free(table);
  return verify((uint64_t)found, (uint64_t)expected);
}
