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
