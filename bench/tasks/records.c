// fault: one-creator
/* records - one thread reads lines of numbers and makes a task of each record, which the other threads weigh faster than it can
   read. records [LINES] */
#include <string.h>
#include "program.h"

enum { FIELDS = 60, LENGTH = 9, WIDTH = 12, STEPS = 500 };

/* Lines of numbers as text, as a file would have them. */
static char *written(int lines) {
  char *text = reserve((size_t)lines * FIELDS * WIDTH + 1), *end = text;
  uint64_t state = 88172645463325252u;
  for (int line = 0; line < lines; line++)
    for (int field = 0; field < FIELDS; field++) {
      state = scramble(state, 1);
      end += sprintf(end, "%u.%03u%c", (unsigned)(state % 9000 + 1000), (unsigned)(state >> 32) % 1000,
                     field + 1 < FIELDS ? ',' : '\n');
    }
  return text;
}

static uint64_t weigh(double sum) { return scramble((uint64_t)(sum * 1000), STEPS); }

static double parse(char **at) {
  double sum = 0;
  for (int field = 0; field < FIELDS; field++) {
    sum += strtod(*at, at);
    ++*at;
  }
  return sum;
}

int main(int argc, char **argv) {
  int lines = read_size(argc, argv, 40000, 1, 2000000);
  char *text = written(lines), *at = text;
  uint64_t found = 0, sums = 0;
#ifdef MENDED
#pragma omp parallel for reduction(^ : sums)
  for (int line = 0; line < lines; line++) {
    /* All lines are as long. */
    char *begin = text + (size_t)line * FIELDS * LENGTH;
    double sum = parse(&begin);
#else
#pragma omp parallel
#pragma omp single
  for (int line = 0; line < lines; line++) {
    double sum = parse(&at);
#endif
    sums ^= (uint64_t)(sum * 1000);
#pragma omp task shared(found)
    {
      uint64_t weight = weigh(sum);
#pragma omp atomic
      found += weight;
    }
  }
  /* A sample of lines, each by itself, is enough to see that no record was read wrongly; the count says that none is missing. */
  uint64_t again = 0, expected = 0;
  at = text;
  for (int line = 0; line < lines; line++) {
    double sum = parse(&at);
    again ^= (uint64_t)(sum * 1000);
    expected += weigh(sum);
  }
  free(text);
  return verify(found ^ sums, expected ^ again);
}
