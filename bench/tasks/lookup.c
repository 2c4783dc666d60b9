// fault: serial-part
/* lookup - one thread fills a table within the region, and only then makes the tasks that look things up in it.
   lookup [ENTRIES] */
#include "program.h"

enum { TASKS = 200, EACH = 10000, STEPS = 20 };

static uint64_t entry(uint64_t at) { return scramble(at * 2 + 1, STEPS * 4); }

static uint64_t look_up(const uint64_t *table, int entries, int task) {
  uint64_t state = (uint64_t)task + 1, sum = 0;
  for (int at = 0; at < EACH; at++) {
    state = scramble(state, STEPS);
    sum += table[state % (uint64_t)entries];
  }
  return sum;
}

int main(int argc, char **argv) {
  int entries = read_size(argc, argv, 4000000, 1, 100000000);
  uint64_t *table = reserve((size_t)entries * sizeof *table), found = 0;
#pragma omp parallel
#pragma omp single
  {
#ifdef MENDED
#pragma omp taskloop grainsize(20000)
#endif
    for (int at = 0; at < entries; at++)
      table[at] = entry((uint64_t)at);
    for (int task = 0; task < TASKS; task++) {
#pragma omp task shared(found)
      {
        uint64_t sum = look_up(table, entries, task);
#pragma omp atomic
        found += sum;
      }
    }
  }
  uint64_t expected = 0;
#pragma omp parallel for reduction(+ : expected)
  for (int task = 0; task < TASKS; task++)
    expected += look_up(table, entries, task);
  free(table);
  return verify(found, expected);
}
