#define THREADS_VARY
#include "coverage.h"
//--- dealt_assembly.c
// SHAPE: inline assembly with a label in the body, where the runtime deals the chunks
// INSTRUMENTED: 2
// DEALT: 0 1
// CANCELLED: 1
// ENV: OMP_CANCELLATION=true
void loops(int n) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    __asm__ volatile("a_label_%=: nop" ::: "memory");
  }
#pragma omp parallel
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < n; i++) {
    TELL(1, i, n);
    __asm__ volatile("a_label_%=: nop" ::: "memory");
    if (i == 20) {
#pragma omp cancel for
    }
  }
}
//--- dealt_cancel.c
// SHAPE: `cancel for` where the runtime deals the chunks
// DEALT: 0
// CANCELLED: 0
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
// The runtimes hang in the next such loop after one that was cancelled; so only the last one is.
void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) {
      TELL(0, i, n);
      if (i == 23) {
#pragma omp cancel for
      }
    }
  }
}
//--- dealt_collapse.c
// SHAPE: `collapse(2)` where the runtime deals the chunks
// INSTRUMENTED: 2
// DEALT: 0 1
void loops(int n) {
  int m = 5;
#pragma omp parallel for collapse(2) schedule(dynamic, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) STEP(0, i * m + j, n * m, i * 100 + j);
#pragma omp parallel for collapse(2) schedule(guided)
  for (int i = 0; i < n; i++)
    for (int j = m; j > 0; j--) STEP(1, i * m + m - j, n * m, i * 100 + j);
}
//--- dealt_doacross.c
// SHAPE: doacross `ordered(1) schedule(dynamic,2)`
// DEALT: 0
// MONOTONIC: 0
void loops(int n) {
#pragma omp parallel for ordered(1) schedule(dynamic, 2)
  for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
    STEP(0, i, n, i);
#pragma omp ordered depend(source)
  }
}
//--- dealt_flags.c
// SHAPE: `schedule(dynamic,4)` and `schedule(guided)`
// INSTRUMENTED: 2
// DEALT: 0 1
// VARIANT: -O0
// VARIANT: -O0 -g
// VARIANT: -O1
// VARIANT: -O3 -g
// VARIANT: -Os -fPIC
// VARIANT: -ftrapv
// VARIANT: -fsanitize=address
// VARIANT: -fsanitize=undefined
// VARIANT: -fsanitize=thread
// VARIANT: -fsanitize=integer
// VARIANT: profile
// VARIANT: -flto=thin -fuse-ld=lld
void loops(int n) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
  unsigned m = (unsigned)n;
#pragma omp parallel for schedule(guided)
  for (unsigned i = 10; i < m + 10; i++) STEP(1, i - 10, n, i);
}
//--- dealt_lastprivate.c
// SHAPE: `lastprivate`, `firstprivate`, `reduction`, `linear` where the runtime deals the chunks
// DEALT: 0
void loops(int n) {
  int last = -1, first = 7, sum = 0, linear = 0;
#pragma omp parallel for schedule(dynamic, 4) lastprivate(last) firstprivate(first)               \
    reduction(+ : sum) linear(linear : 2)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    last = i - first;
    sum += i + linear;
    linear += 2;
  }
  // Stock programs have now and then a wrong `last`: the runtime may clear the flag that it is taken by.
  printf("%d %d\n", sum, last > n);
}
//--- dealt_modifiers.c
// SHAPE: `monotonic:` and `nonmonotonic:` where the runtime deals the chunks
// INSTRUMENTED: 4
// DEALT: 0 1 2 3
// MONOTONIC: 0 2 3
void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(monotonic : dynamic, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(nonmonotonic : dynamic, 4)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(monotonic : guided, 2)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(monotonic : runtime)
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
  }
}
//--- dealt_nested.c
// SHAPE: loops whose chunks the runtime deals, orphaned and in the body of another
// INSTRUMENTED: 2
// DEALT: 0 1
static void orphaned(unsigned loop, int n) {
#pragma omp for schedule(dynamic, 2)
  for (int i = 0; i < n; i++) TELL(loop, i, n);
}

void loops(int n) {
  orphaned(1, n);
  omp_set_max_active_levels(2);
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; i++) {
    TELL(0, i, n);
    if (i % 10 == 0) {
#pragma omp parallel num_threads(2)
      orphaned(1, 7);
    }
  }
}
//--- dealt_nowait.c
// SHAPE: static and other schedules in turn, without barriers
// INSTRUMENTED: 5
// DEALT: 0 2 4
void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4) nowait
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, 4) nowait
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(guided, 2) nowait
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < n; i++) TELL(4, i, n);
  }
}
//--- dealt_ordered.c
// SHAPE: `ordered` with other schedules than static
// INSTRUMENTED: 4
// DEALT: 0 1 2 3
// MONOTONIC: 0 1 2 3
void loops(int n) {
#pragma omp parallel
  {
#pragma omp for ordered schedule(dynamic, 4)
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      STEP(0, i, n, i);
    }
#pragma omp for ordered schedule(guided)
    for (int i = 0; i < n; i++) {
      STEP(1, i, n, i);
#pragma omp ordered
      value_of[1][i]++;
    }
#pragma omp for ordered
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      STEP(2, i, n, i);
    }
#pragma omp for ordered schedule(runtime)
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      STEP(3, i, n, i);
    }
  }
}
//--- dealt_simd.c
// SHAPE: `for simd` where the runtime deals the chunks
// INSTRUMENTED: 4
// DEALT: 0 1 2 3
void loops(int n) {
  int vector = n % 2;
#pragma omp parallel
  {
#pragma omp for simd schedule(dynamic, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for simd schedule(simd : guided, 4)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for simd schedule(simd : runtime)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for simd schedule(dynamic, 4) if (simd : vector)
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
  }
}
//--- dealt_steps.c
// SHAPE: first value and step where the runtime deals the chunks
// INSTRUMENTED: 4
// DEALT: 0 1 2 3
// USER: 0 1 2 3
void loops(int n) {
  int low = -n, by = n % 4 + 1, chunk = n % 3 + 1;
#pragma omp parallel for schedule(dynamic, chunk)
  for (int i = low; i < low + by * n; i += by) STEP(0, (i - low) / by, n, i);
#pragma omp parallel for schedule(guided)
  for (int i = 3 * n; i > 0; i -= 3) STEP(1, n - i / 3, n, i);
#pragma omp parallel for schedule(dynamic, 4)
  for (long i = 100; i < 100 + 7L * n; i += 7) STEP(2, (i - 100) / 7, n, i);
#pragma omp parallel for schedule(runtime)
  for (short i = 5; i < n + 5; i++) STEP(3, i - 5, n, i);
}
//--- dealt_types.c
// SHAPE: int, unsigned, long, unsigned long where the runtime deals the chunks
// INSTRUMENTED: 4
// DEALT: 0 1 2 3
// USER: 0 1 2 3
void loops(int n) {
  unsigned u = (unsigned)n;
  long l = n;
  unsigned long ul = u;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(guided, 2)
    for (unsigned i = 0; i < u; i++) STEP(1, i, n, i);
#pragma omp for schedule(dynamic)
    for (long i = 0; i < l; i++) STEP(2, i, n, i);
#pragma omp for schedule(auto)
    for (unsigned long i = 0; i < ul; i++) STEP(3, i, n, i);
  }
}
//--- dynamic.c
// SHAPE: `schedule(dynamic,4)`
// DEALT: 0
void loops(int n) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
