//--- dealt_irbuilder.c
// SHAPE: OpenMPIRBuilder's `for schedule(dynamic,4)` and `for schedule(guided)`
// INSTRUMENTED: 2
// DEALT: 0 1
// FROM-1: 0 1
// FLAGS: -Xclang -fopenmp-enable-irbuilder
#define LEAST_TRIP 1
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(guided)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
  }
}
//--- irbuilder.c
// SHAPE: OpenMPIRBuilder's `for schedule(static,10)`
// FLAGS: -Xclang -fopenmp-enable-irbuilder
#define LEAST_TRIP 1
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- irbuilder_types.c
// SHAPE: OpenMPIRBuilder's loops of `unsigned`, `long` and a negative step
// INSTRUMENTED: 3
// FLAGS: -Xclang -fopenmp-enable-irbuilder
#define LEAST_TRIP 1
#include "coverage.h"

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 7)
    for (unsigned i = 0; i < (unsigned)n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, 7)
    for (long i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(static, 7)
    for (int i = 3 * n; i > 0; i -= 3) STEP(2, n - i / 3, n, i);
  }
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
