#include "program.h"
//--- large_body.c
// A body too large to be worth a copy: one loop with a tested flag, optimised or not.
// LOOPS: 2
// USER: 0 1
#define FOUR(x) x x x x
#define MUCH(x) FOUR(FOUR(FOUR(FOUR(x))))

static double cell[MOST];

int main(void) {
  int n = 50;
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) {
      STEP(0, i, n, i);
      MUCH(cell[i] = cell[i] * 1.0001 + i; if (cell[i] > 1e6) cell[i] -= 1e6;)
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      STEP(1, i, n, i);
      MUCH(cell[i] = cell[i] * 1.0002 - i; if (cell[i] < 0) cell[i] = -cell[i];)
    }
  }
  report(0);
  report(1);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += cell[i];
  printf("%.17g\n", sum);
  return 0;
}
//--- large_chunks.c
// Chunks far larger than the loop, up to what the runtime can multiply by the number of threads.
// LOOPS: 5
// USER: 0 1 2 3 4
static void all(int n, long chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 1 << 28)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, (int)chunk)
    for (unsigned i = 0; i < (unsigned)n; i++) STEP(1, i, n, i);
#pragma omp for schedule(static, 1L << 31)
    for (long i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(static, chunk << 20)
    for (unsigned long i = 0; i < (unsigned long)n; i++) STEP(3, i, n, i);
#pragma omp for schedule(static, chunk)
    for (long i = n; i > 0; i -= 2) STEP(4, (n - i) / 2, (n + 1) / 2, i);
  }
  for (int loop = 0; loop < 5; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 10; n += 3) all(n, 1L << 28);
  return 0;
}
//--- many_chunks.c
// Enough chunks that anything which grows, leaks, or counts wrongly per chunk shows.
// LOOPS: 2
// USER: 0 1
int main(void) {
  for (int round = 0; round < 3; round++) {
#pragma omp parallel
    {
#pragma omp for schedule(static, 1)
      for (int i = 0; i < MOST; i++) STEP(0, i, MOST, i);
#pragma omp for schedule(static, 13)
      for (long i = 0; i < MOST; i++) STEP(1, i, MOST, i);
    }
    report(0);
    report(1);
  }
  return 0;
}
//--- many_loops.c
// A function with many loops: the first have copies, and those beyond a test for each chunk.
// LOOPS: 20
// USER: 5 6 7 8 9 10 11 12 16 17 18
// CANCELLED: 13 14
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
#define FOUR(x) x x x x
#define MUCH(x) FOUR(FOUR(FOUR(x)))

static double cell[MOST];

/* Takes what a function has for copies. */
#define FILLER(number)                                                                             \
  for (int i = 0; i < n; i++) {                                                                    \
    STEP(number, i, n, i);                                                                         \
    MUCH(cell[i] = cell[i] * 1.0001 + i; if (cell[i] > 1e6) cell[i] -= 1e6;)                       \
  }

/* Which thread stops where depends on time, so the output must not tell. */
static int ran_first;

int main(void) {
  int n = 50, first = 7, step = 3, last = 0;
  long far = 3000000000L;
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    FILLER(0)
#pragma omp for schedule(static, 4)
    FILLER(1)
#pragma omp for schedule(static, 4)
    FILLER(2)
#pragma omp for schedule(static, 4)
    FILLER(3)
#pragma omp for schedule(static, 4)
    FILLER(4)
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(5, i, n, i);
#pragma omp for schedule(static)
    for (unsigned i = 0; i < (unsigned)n; i++) STEP(6, i, n, i);
#pragma omp for schedule(static, 3)
    for (unsigned i = 0; i < (unsigned)n; i++) STEP(7, i, n, i);
#pragma omp for schedule(static, 3) nowait
    for (long i = far; i < far + n; i++) STEP(8, i - far, n, i);
#pragma omp for schedule(static)
    for (long i = far; i > far - n; i--) STEP(9, far - i, n, i);
#pragma omp for schedule(static, 5)
    for (unsigned long i = 0; i < (unsigned long)n; i++) STEP(10, i, n, i);
#pragma omp for schedule(static)
    for (int i = first; i < first + step * n; i += step) STEP(11, (i - first) / step, n, i);
    for (int round = 0; round < 3; round++) {
#pragma omp for schedule(static, 2)
      for (int i = first; i < first + step * n; i += step) STEP(12, (i - first) / step, n, i);
    }
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) {
      TELL(13, i, n);
      if (i == 0) {
        ran_first++;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) {
      TELL(14, i, n);
      if (i == 0) {
        ran_first++;
#pragma omp cancel for
      }
    }
#pragma omp for schedule(static, 1) collapse(2)
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 10; j++) STEP(15, 10 * i + j, n, j);
#pragma omp for schedule(static, 7) lastprivate(last) nowait
    for (short i = 0; i < n; i++) {
      STEP(16, i, n, i);
      last = i;
    }
#pragma omp barrier
    // The frame of the loops before must be gone, and a thread may have no chunk.
#pragma omp for schedule(static, 4)
    for (int i = 0; i < 2; i++) STEP(17, i, 2, i);
#pragma omp for schedule(static)
    for (int i = 0; i < 1; i++) STEP(18, i, 1, i);
#pragma omp for schedule(static, 4)
    for (int i = n; i < first; i++) STEP(19, i, 1, i);
  }
  for (int loop = 0; loop < 20; loop++)
    if (loop != 13 && loop != 14) report(loop);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += cell[i];
  printf("%d %d %.17g\n", ran_first, last, sum);
  return 0;
}
