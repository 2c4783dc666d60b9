// Bounds at the limits of their types. The user's values must be right although the compiler counts
// from 0, and the events although the span does not fit the type.
//
// LOOPS: 16
// USER: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// MATRIX: full
#include "program.h"

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
