//--- firstprivate.c
// SHAPE: `firstprivate`
// BY-THREAD: yes
#include "coverage.h"

void loops(int n) {
  int first = 3;
#pragma omp parallel
#pragma omp for schedule(static, 10) firstprivate(first)
  for (int i = 0; i < n; i++) STEP(0, i, n, first++);
}
//--- lastprivate.c
// SHAPE: `lastprivate`
#include "coverage.h"

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
#include "coverage.h"

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
#include "coverage.h"

void loops(int n) {
  int k = 0;
#pragma omp parallel for schedule(static, 10) linear(k : 2)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, k);
    k += 2;
  }
}
//--- reduction.c
// SHAPE: `reduction`
#include "coverage.h"

void loops(int n) {
  long sum = 0;
#pragma omp parallel for schedule(static, 10) reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    sum += i;
  }
  printf("%ld\n", sum);
}
//--- scan_exclusive.c
// SHAPE: exclusive `scan`, without a chunk
// INSTRUMENTED: 2
// FLAGS: -lm
#define LEAST_TRIP 2
#include "coverage.h"

void loops(int n) {
  int sum = 0, seen[64];
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < n; i++) {
    STEP(1, i, n, i);
    seen[i] = sum;
#pragma omp scan exclusive(sum)
    STEP(0, i, n, i);
    sum += i;
  }
  printf("%d %d\n", sum, n ? seen[n - 1] : 0);
}
//--- scan_inclusive.c
// SHAPE: inclusive `scan`: the loop runs twice
// INSTRUMENTED: 2
// FLAGS: -lm
#define LEAST_TRIP 2
#include "coverage.h"

void loops(int n) {
  int sum = 0, seen[64];
#pragma omp parallel for schedule(static, 4) reduction(inscan, + : sum)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    sum += i;
#pragma omp scan inclusive(sum)
    STEP(1, i, n, i);
    seen[i] = sum;
  }
  printf("%d %d\n", sum, n ? seen[n - 1] : 0);
}
//--- threadprivate.c
// SHAPE: `threadprivate` with `copyin`
// BY-THREAD: yes
#include "coverage.h"

static int own;
#pragma omp threadprivate(own)

void loops(int n) {
  own = n;
#pragma omp parallel for schedule(static, 10) copyin(own)
  for (int i = 0; i < n; i++) STEP(0, i, n, own++);
}
