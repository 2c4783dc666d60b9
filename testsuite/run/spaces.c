#include "program.h"
//--- collapse.c
// Collapsed loops: the chunk is counted in iterations of the whole nest.
// LOOPS: 3
// NO-USER: 0 1 2
static void all(int n, int m) {
#pragma omp parallel for collapse(2) schedule(static, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) STEP(0, i * m + j, n * m, i * 100 + j);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) STEP(1, i * m + j, n * m, i * 100 + j);
#pragma omp parallel for collapse(3) schedule(static, 2)
  for (int i = 0; i < n; i++)
    for (long j = m; j > 0; j--)
      for (unsigned k = 0; k < 6; k += 2) STEP(2, (i * m + (m - j)) * 3 + k / 2, n * m * 3, i * 10000 + j * 100 + k);
  for (int loop = 0; loop < 3; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 10; n += 3) all(n, 7 - n / 2);
  return 0;
}
//--- constant_trip.c
// Trip counts that the compiler knows, so that it may simplify the loop.
// LOOPS: 4
// USER: 0 1 2 3
int main(void) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < 100; i++) STEP(0, i, 100, i);
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < 1; i++) STEP(1, i, 1, i);
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < 10; i++) STEP(2, i, 10, i);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 10; i++) STEP(3, i, 10, i);
  for (int loop = 0; loop < 4; loop++) report(loop);
  return 0;
}
//--- limits.c
// Bounds at the limits of their types. The user's values must be right although the compiler counts
// from 0, and the events although the span does not fit the type.
// LOOPS: 16
// USER: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// MATRIX: full
#define INT_SPAN (1 << 30)
#define LONG_SPAN (1L << 62)

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 2)
    for (int i = INT_MAX - 5; i < INT_MAX; i++) STEP(0, i - (INT_MAX - 5), 5, i);
#pragma omp for schedule(static, 2)
    for (int i = INT_MIN; i < INT_MIN + 5; i++) STEP(1, i - INT_MIN, 5, i);
#pragma omp for schedule(static, 2)
    for (int i = INT_MAX; i > INT_MAX - 5; i--) STEP(2, INT_MAX - i, 5, i);
#pragma omp for schedule(static, 2)
    for (int i = INT_MIN + 5; i > INT_MIN; i--) STEP(3, INT_MIN + 5 - i, 5, i);
#pragma omp for schedule(static, 2)
    for (int i = -INT_MAX; i < INT_SPAN; i += INT_SPAN) STEP(4, ((long)i + INT_MAX) / INT_SPAN, 3, i);
#pragma omp for schedule(static, 2)
    for (unsigned i = UINT_MAX - 5; i < UINT_MAX; i++) STEP(5, i - (UINT_MAX - 5), 5, i);
#pragma omp for schedule(static, 2)
    for (unsigned i = 5; i > 0; i--) STEP(6, 5 - i, 5, i);
#pragma omp for schedule(static, 2)
    for (unsigned i = 0; i < 3u << 30; i += 1u << 30) STEP(7, i >> 30, 3, i);
#pragma omp for schedule(static, 2)
    for (long i = LONG_MAX - 5; i < LONG_MAX; i++) STEP(8, i - (LONG_MAX - 5), 5, i);
#pragma omp for schedule(static, 2)
    for (long i = LONG_MIN; i < LONG_MIN + 5; i++) STEP(9, i - LONG_MIN, 5, i);
#pragma omp for schedule(static, 2)
    for (long i = LONG_MAX; i > LONG_MAX - 5; i--) STEP(10, LONG_MAX - i, 5, i);
#pragma omp for schedule(static, 2)
    for (long i = -LONG_MAX; i < LONG_SPAN; i += LONG_SPAN) STEP(11, ((unsigned long)i + LONG_MAX) / LONG_SPAN, 3, i);
#pragma omp for schedule(static, 2)
    for (unsigned long i = ULONG_MAX - 5; i < ULONG_MAX; i++) STEP(12, i - (ULONG_MAX - 5), 5, i);
#pragma omp for schedule(static, 2)
    for (unsigned long i = 0; i < 3ul << 62; i += 1ul << 62) STEP(13, i >> 62, 3, i);
#pragma omp for
    for (int i = INT_MAX - 5; i < INT_MAX; i++) STEP(14, i - (INT_MAX - 5), 5, i);
#pragma omp for
    for (unsigned long i = ULONG_MAX - 5; i < ULONG_MAX; i++) STEP(15, i - (ULONG_MAX - 5), 5, i);
  }
  for (int loop = 0; loop < 16; loop++) report(loop);
  return 0;
}
//--- narrow.c
// Loop variables narrower than int, whose logical iteration variable is wider than they are.
// LOOPS: 5
// USER: 0 1 2 3 4
int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (signed char i = -100; i < 100; i += 9) STEP(0, (i + 100) / 9, 23, i);
#pragma omp for schedule(static, 4)
    for (unsigned char i = 200; i > 100; i -= 9) STEP(1, (200 - i) / 9, 12, i);
#pragma omp for schedule(static, 4)
    for (short i = SHRT_MAX - 5; i < SHRT_MAX; i++) STEP(2, i - (SHRT_MAX - 5), 5, i);
#pragma omp for
    for (unsigned short i = USHRT_MAX - 5; i < USHRT_MAX; i++) STEP(3, i - (USHRT_MAX - 5), 5, i);
#pragma omp for schedule(static, 4)
    for (long long i = 1LL << 40; i < (1LL << 40) + 21; i++) STEP(4, i - (1LL << 40), 21, i);
  }
  for (int loop = 0; loop < 5; loop++) report(loop);
  return 0;
}
//--- sequential_outer.c
// A loop that runs many times: in a sequential loop outside of the region, and inside of it.
// LOOPS: 2
int main(void) {
  for (int round = 0; round < 30; round++) {
#pragma omp parallel for schedule(static, 2)
    for (int i = 0; i < round; i++) STEP(0, i, round, i * round);
  }
#pragma omp parallel
  for (int round = 0; round < 30; round++) {
#pragma omp for schedule(static, 2) nowait
    for (int i = 0; i < round; i++) STEP(1, i, round, i * round);
  }
  report(0);
  report(1);
  return 0;
}
//--- steps.c
// Steps that are not one, in both directions, constant and not, and every comparison. The compiler
// counts logical iterations from 0; the user's values must come out right.
// LOOPS: 9
// USER: 0 1 2 3 4 5 6 7 8
static int trip(int span, int step) { return span <= 0 ? 0 : (span + step - 1) / step; }

static void all(int lo, int hi, int step) {
  int span = hi - lo, by3 = trip(span, 3), by_step = trip(span, step);
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (int i = lo; i < hi; i += 3) STEP(0, (i - lo) / 3, by3, i);
#pragma omp for schedule(static, 4)
    for (int i = hi; i > lo; i -= 3) STEP(1, (hi - i) / 3, by3, i);
#pragma omp for schedule(static, 4)
    for (int i = lo; i < hi; i += step) STEP(2, (i - lo) / step, by_step, i);
#pragma omp for schedule(static, 4)
    for (int i = hi; i > lo; i -= step) STEP(3, (hi - i) / step, by_step, i);
#pragma omp for schedule(static, 4)
    for (int i = lo; i <= hi; i++) STEP(4, i - lo, span + 1, i);
#pragma omp for schedule(static, 4)
    for (int i = hi; i >= lo; --i) STEP(5, hi - i, span + 1, i);
#pragma omp for schedule(static, 4)
    for (int i = lo; i != hi; i++) STEP(6, i - lo, span, i);
#pragma omp for schedule(static, 4)
    for (long i = lo; hi > i; i = i + 3) STEP(7, (i - lo) / 3, by3, i);
#pragma omp for
    for (int i = hi; i > lo; i -= 3) STEP(8, (hi - i) / 3, by3, i);
  }
  for (int loop = 0; loop < 9; loop++) report(loop);
}

int main(void) {
  all(100, 200, 7);
  all(-50, 0, 1);
  all(-9, 9, 4);
  all(5, 5, 2);
  return 0;
}
//--- triangle.c
// A nest whose inner bound depends on the outer variable. The compiler deals the iterations of the
// rectangle around it and skips those outside, so the program cannot count logical iterations.
// LOOPS: 2
// UNOBSERVED: yes
static void all(int n) {
#pragma omp parallel for collapse(2) schedule(static, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      runs_of[0][i * n + j]++, thread_of[0][i * n + j] = who_runs();
    }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j += 2) {
      runs_of[1][i * n + j]++, thread_of[1][i * n + j] = who_runs();
    }
  report(0), report(1);
}

int main(void) {
  for (int n = 2; n < 12; n += 3) all(n);
  return 0;
}
//--- trips.c
// Short loops: no iteration, one, fewer chunks than threads, a chunk larger than the loop, a last
// chunk that is cut, one that is not.
// LOOPS: 5
// USER: 0 1 2 3 4
// MATRIX: full
static void all(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, 2)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(static, 5)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(static, 1000)
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
#pragma omp for
    for (int i = 0; i < n; i++) STEP(4, i, n, i);
  }
}

int main(void) {
  for (int n = 0; n <= 16; n++) {
    all(n);
    for (int loop = 0; loop < 5; loop++) report(loop);
  }
  return 0;
}
