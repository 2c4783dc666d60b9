#include "coverage.h"
//--- checked_step.c
// SHAPE: constant bounds and a step of `unsigned long`, with and without a chunk
// INSTRUMENTED: 4
// VARIANT: -fsanitize=integer
// VARIANT: -fsanitize=undefined
// VARIANT: -fsanitize=integer -O0 -g
void loops(int n) {
  unsigned long m = (unsigned long)n;
#pragma omp parallel for
  for (unsigned long i = 0; i < 10; i += 3) STEP(0, i / 3, 4, i);
#pragma omp parallel for schedule(static, 2)
  for (unsigned long i = 0; i < 10; i += 3) STEP(1, i / 3, 4, i);
#pragma omp parallel for
  for (unsigned long i = 0; i < m; i += 3) STEP(2, i / 3, (m + 2) / 3, i);
#pragma omp parallel for schedule(static, 2)
  for (unsigned long i = 0; i < m; i += 3) STEP(3, i / 3, (m + 2) / 3, i);
}
//--- constant_trip.c
// SHAPE: constant trip count
// USER: 0
void loops(int n) {
  (void)n;
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < 100; i++) STEP(0, i, 100, i);
}
//--- firstprivate.c
// SHAPE: `firstprivate`
// BY-THREAD: yes
void loops(int n) {
  int first = 3;
#pragma omp parallel
#pragma omp for schedule(static, 10) firstprivate(first)
  for (int i = 0; i < n; i++) STEP(0, i, n, first++);
}
//--- lastprivate.c
// SHAPE: `lastprivate`
void loops(int n) {
  int last = -1;
#pragma omp parallel for schedule(static, 10) lastprivate(last)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    last = i;
  }
  printf("%d\n", n ? last : -1);
}
//--- lastprivate_conditional.c
// SHAPE: `lastprivate(conditional:)`
// INSTRUMENTED: 2
void loops(int n) {
  int last = -1, other = -1;
#pragma omp parallel for schedule(static, 10) lastprivate(conditional : last)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    if (i % 7 == 3) last = i;
  }
#pragma omp parallel for lastprivate(conditional : other)
  for (int i = 0; i < n; i++) {
    STEP(1, i, n, i);
    if (i % 7 == 3) other = i;
  }
}
//--- linear.c
// SHAPE: `linear`
void loops(int n) {
  int k = 0;
#pragma omp parallel for schedule(static, 10) linear(k : 2)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, k);
    k += 2;
  }
}
//--- long.c
// SHAPE: `long` variable, with and without a chunk
// INSTRUMENTED: 2
// USER: 0 1
void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (long i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for
  for (long i = 0; i < n; i++) STEP(1, i, n, i);
}
//--- narrow.c
// SHAPE: `short` and `unsigned char` variables
// INSTRUMENTED: 2
void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (short i = -20; i < n - 20; i++) STEP(0, i + 20, n, i);
#pragma omp parallel for schedule(static, 3)
  for (unsigned char i = 5; i < n + 5; i++) STEP(1, i - 5, n, i);
}
//--- not_equal.c
// SHAPE: loop test `!=`
void loops(int n) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i != n; i++) STEP(0, i, n, i);
}
//--- reduction.c
// SHAPE: `reduction`
void loops(int n) {
  long sum = 0;
#pragma omp parallel for schedule(static, 10) reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    sum += i;
  }
  printf("%ld\n", sum);
}
//--- step_3.c
// SHAPE: start and step known at run time
// USER: 0
void loops(int n) {
  int start = -n, step = n % 3 + 1, end = start + n * step;
#pragma omp parallel for schedule(static, 10)
  for (int i = start; i < end; i += step) STEP(0, (i - start) / step, n, i);
}
//--- step_constant.c
// SHAPE: constant start and step
// USER: 0
void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 100; i < 100 + 3 * n; i += 3) STEP(0, (i - 100) / 3, n, i);
}
//--- step_negative.c
// SHAPE: negative step
// INSTRUMENTED: 2
// USER: 0
void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 3 * n; i > 0; i -= 3) STEP(0, n - i / 3, n, i);
#pragma omp parallel for
  for (long i = n; i >= 1; --i) STEP(1, n - i, n, i);
}
//--- threadprivate.c
// SHAPE: `threadprivate` with `copyin`
// BY-THREAD: yes
static int own;
#pragma omp threadprivate(own)

void loops(int n) {
  own = n;
#pragma omp parallel for schedule(static, 10) copyin(own)
  for (int i = 0; i < n; i++) STEP(0, i, n, own++);
}
//--- unsigned.c
// SHAPE: `unsigned` variable, with and without a chunk
// INSTRUMENTED: 2
// USER: 0 1
void loops(int n) {
  unsigned m = (unsigned)n;
#pragma omp parallel for schedule(static, 10)
  for (unsigned i = 0; i < m; i++) STEP(0, i, n, i);
#pragma omp parallel for
  for (unsigned i = 0; i < m; i++) STEP(1, i, n, i);
}
//--- unsigned_long.c
// SHAPE: `unsigned long` variable, with and without a chunk
// INSTRUMENTED: 2
// USER: 0 1
void loops(int n) {
  unsigned long m = (unsigned long)n;
#pragma omp parallel for schedule(static, 10)
  for (unsigned long i = 0; i < m; i++) STEP(0, i, n, i);
#pragma omp parallel for
  for (unsigned long i = 0; i < m; i++) STEP(1, i, n, i);
}
