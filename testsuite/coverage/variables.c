//--- checked_step.c
// SHAPE: constant bounds and a step of `unsigned long`, with and without a chunk
// INSTRUMENTED: 4
// VARIANT: -fsanitize=integer
// VARIANT: -fsanitize=undefined
// VARIANT: -fsanitize=integer -O0 -g
#include "coverage.h"

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
#include "coverage.h"

void loops(int n) {
  (void)n;
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < 100; i++) STEP(0, i, 100, i);
}
//--- long.c
// SHAPE: `long` variable, with and without a chunk
// INSTRUMENTED: 2
// USER: 0 1
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (long i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for
  for (long i = 0; i < n; i++) STEP(1, i, n, i);
}
//--- narrow.c
// SHAPE: `short` and `unsigned char` variables
// INSTRUMENTED: 2
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (short i = -20; i < n - 20; i++) STEP(0, i + 20, n, i);
#pragma omp parallel for schedule(static, 3)
  for (unsigned char i = 5; i < n + 5; i++) STEP(1, i - 5, n, i);
}
//--- not_equal.c
// SHAPE: loop test `!=`
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i != n; i++) STEP(0, i, n, i);
}
//--- step_3.c
// SHAPE: start and step known at run time
// USER: 0
#include "coverage.h"

void loops(int n) {
  int start = -n, step = n % 3 + 1, end = start + n * step;
#pragma omp parallel for schedule(static, 10)
  for (int i = start; i < end; i += step) STEP(0, (i - start) / step, n, i);
}
//--- step_constant.c
// SHAPE: constant start and step
// USER: 0
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 100; i < 100 + 3 * n; i += 3) STEP(0, (i - 100) / 3, n, i);
}
//--- step_negative.c
// SHAPE: negative step
// INSTRUMENTED: 2
// USER: 0
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 3 * n; i > 0; i -= 3) STEP(0, n - i / 3, n, i);
#pragma omp parallel for
  for (long i = n; i >= 1; --i) STEP(1, n - i, n, i);
}
//--- unsigned.c
// SHAPE: `unsigned` variable, with and without a chunk
// INSTRUMENTED: 2
// USER: 0 1
#include "coverage.h"

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
#include "coverage.h"

void loops(int n) {
  unsigned long m = (unsigned long)n;
#pragma omp parallel for schedule(static, 10)
  for (unsigned long i = 0; i < m; i++) STEP(0, i, n, i);
#pragma omp parallel for
  for (unsigned long i = 0; i < m; i++) STEP(1, i, n, i);
}
