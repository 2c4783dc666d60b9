// Steps that are not one, in both directions, constant and not, and every comparison. The compiler
// counts logical iterations from 0; the user's values must come out right.
//
// LOOPS: 9
// USER: 0 1 2 3 4 5 6 7 8
#include "program.h"

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
