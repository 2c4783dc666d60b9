#include "program.h"
//--- carried.c
// Values that each thread keeps over its iterations, and uses in the loop or after it: once a pass has put them into
// registers, nothing may forget them between two chunks.
// LOOPS: 5
static long total, furthest, places, turn_of[64];

static void all(int n) {
#pragma omp parallel
  {
    long mine = 0, most = -1, place = 0, turn = 0;
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      STEP(0, i, n, i);
      mine += i;
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      STEP(1, i, n, i);
      if (most < i) most = i;
    }
#pragma omp for schedule(static, 2)
    for (int i = 0; i < n; i++) {
      STEP(2, i, n, i);
      place++;
    }
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++) {
      STEP(3, i, n, i);
      mine -= i;
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      STEP(4, i, n, i);
      // Nobody reads it after the loop, so no pass need leave it in memory.
      turn_of[i] = ++turn;
    }
#pragma omp atomic
    total += mine;
#pragma omp atomic
    places += place;
#pragma omp critical
    if (furthest < most) furthest = most;
  }
}

int main(void) {
  for (int n = 1; n < 60; n += 19) {
    total = places = 0, furthest = -1;
    all(n);
    for (int loop = 0; loop < 5; loop++) report(loop);
    printf("total %ld, furthest %ld, places %ld\n", total, furthest, places);
    // Of one thread it is known.
    for (int i = 0; omp_get_max_threads() == 1 && i < n; i++)
      if (turn_of[i] != i + 1) printf("iteration %d had turn %ld\n", i, turn_of[i]);
  }
  return 0;
}
//--- control_flow.c
// Bodies with control flow of their own: inner loops, continue, switch, goto, an early exit of an
// inner loop, variable-length arrays.
// LOOPS: 5
static int digits(int i) {
  int count = 0;
  do count++;
  while (i /= 10);
  return count;
}

static void all(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      STEP(0, i, n, i);
      if (i % 3 == 0) continue;
      for (int j = 0; j < i; j++) {
        if (j > 5) break;
        value_of[0][i] += (uint64_t)digits(i * j);
      }
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      STEP(1, i, n, i);
      switch (i % 4) {
      case 0: value_of[1][i] += 10; break;
      case 1: value_of[1][i] += 20; /* fallthrough */
      case 2: value_of[1][i] += 30; break;
      default: value_of[1][i] *= 2;
      }
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      int left = i;
      STEP(2, i, n, i);
    again:
      if (left > 0) {
        left -= 4;
        value_of[2][i]++;
        goto again;
      }
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      int array[i + 1];
      array[i] = i * 5;
      STEP(3, i, n, array[i]);
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      STEP(4, i, n, i);
      if (i % 2) continue;
      value_of[4][i] += 3;
    }
  }
  for (int loop = 0; loop < 5; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 25; n += 12) all(n);
  return 0;
}
//--- entries.c
// Every entry point of the runtime: signed and unsigned, 32 and 64 bits; with a constant chunk, a
// variable one, and none.
// LOOPS: 12
// USER: 0 1 2 3 4 5 6 7 8 9 10 11
// MATRIX: full
static void entry_4(int n, int chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, chunk)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
  }
}

static void entry_4u(unsigned n, unsigned chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (unsigned i = 0; i < n; i++) STEP(3, i, n, i);
#pragma omp for schedule(static, chunk)
    for (unsigned i = 0; i < n; i++) STEP(4, i, n, i);
#pragma omp for schedule(static)
    for (unsigned i = 0; i < n; i++) STEP(5, i, n, i);
  }
}

static void entry_8(long n, long chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (long i = 0; i < n; i++) STEP(6, i, n, i);
#pragma omp for schedule(static, chunk)
    for (long i = 0; i < n; i++) STEP(7, i, n, i);
#pragma omp for schedule(static)
    for (long i = 0; i < n; i++) STEP(8, i, n, i);
  }
}

static void entry_8u(unsigned long n, unsigned long chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (unsigned long i = 0; i < n; i++) STEP(9, i, n, i);
#pragma omp for schedule(static, chunk)
    for (unsigned long i = 0; i < n; i++) STEP(10, i, n, i);
#pragma omp for schedule(static)
    for (unsigned long i = 0; i < n; i++) STEP(11, i, n, i);
  }
}

int main(void) {
  for (int n = 0; n < 60; n += 29) {
    for (int chunk = 1; chunk < 30; chunk += 7) {
      entry_4(n, chunk);
      entry_4u(n, chunk);
      entry_8(n, chunk);
      entry_8u(n, chunk);
      for (int loop = 0; loop < 12; loop++) report(loop);
    }
  }
  return 0;
}
//--- inline_assembly.c
// Assembly that defines no symbol is copied with its loop; so is one with operands that the loop computes with.
// LOOPS: 2
static void all(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      STEP(0, i, n, i);
      __asm__ volatile("nop" ::: "memory");
    }
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) {
      uint64_t value = (uint64_t)i;
      __asm__ volatile("" : "+r"(value));
      STEP(1, i, n, value);
    }
  }
  for (int loop = 0; loop < 2; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 25; n += 12) all(n);
  return 0;
}
//--- inlined.c
// One loop inlined into several callers: many copies of the code, one loop record; and threads of a team that come by two copies.
// LOOPS: 2
static inline __attribute__((always_inline)) void work(int n, int scale) {
#pragma omp for schedule(static, 3)
  for (int i = 0; i < n; i++) STEP(0, i, n, i * scale);
}

static inline __attribute__((always_inline)) void block(int n, int copy) {
#pragma omp for
  for (int i = 0; i < n; i++) {
    STEP(1, i, n, i);
    __asm__ volatile("" ::"r"(copy));
  }
}

int main(void) {
  for (int n = 5; n < 100; n += 9) {
#pragma omp parallel
    {
      int first = 0;
#pragma omp master
      first = 1;
      if (first)
        block(n, 1);
      else
        block(n, 2);
    }
    report(1);
  }
#pragma omp parallel
  {
    work(10, 2);
    work(25, 3);
  }
  report(0);
#pragma omp parallel
  work(7, 5);
  report(0);
  return 0;
}
//--- not_clonable.c
// Loops that cannot be copied, so that the plugin must do with one and a tested flag: addresses of
// labels, inline assembly.
// LOOPS: 3
// MATRIX: full
static void all(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      void *targets[] = {&&even, &&odd};
      uint64_t value;
      goto *targets[i & 1];
    even:
      value = 100;
      goto out;
    odd:
      value = 200;
    out:
      STEP(0, i, n, value + (uint64_t)i);
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      STEP(1, i, n, i);
      __asm__ volatile("a_label_%=: nop" ::: "memory");
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      STEP(2, i, n, i);
      __asm__ volatile("another_label_%=: nop" ::: "memory");
    }
  }
  for (int loop = 0; loop < 3; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 25; n += 12) all(n);
  return 0;
}
//--- recursion.c
// A parallel loop that calls itself: several executions of one loop at the same time on one thread.
// LOOPS: 1
// THREADS: 1 2 3
static int count;

static void walk(int depth) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 4; i++) {
    TELL(0, i, 4);
#pragma omp atomic
    count++;
    if (depth > 0) walk(depth - 1);
  }
}

int main(void) {
  omp_set_max_active_levels(2);
  walk(3);
  printf("loop 0: %d runs\n", count);
  return 0;
}
//--- vectorized.c
// Bodies that the optimiser turns into something else: vectorised, unrolled, replaced by memset, or
// gone. They tell the oracle nothing, so that it is free to.
// LOOPS: 7
// UNOBSERVED: yes
// MATRIX: full
enum { N = 1003 };
static double a[N], b[N];
static char c[N];

__attribute__((noinline)) static void work(int n, int chunk, double s) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 64)
    for (int i = 0; i < n; i++) a[i] = b[i] * s + a[i];
#pragma omp for schedule(static, chunk)
    for (int i = 0; i < n; i++) b[i] += a[i] * 0.5;
#pragma omp for schedule(static, 128)
    for (int i = 0; i < n; i++) c[i] = 0;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++) a[i] += i;
#pragma omp for
    for (long i = 0; i < n; i++) a[i] = a[i] > b[i] ? a[i] - b[i] : a[i];
#pragma omp for simd schedule(static, 8) safelen(4) simdlen(4)
    for (int i = 0; i < n; i++) b[i] = b[i] * 0.75 + i;
#pragma omp for schedule(static, 16)
    for (int i = 0; i < n; i++) {
      int unused = i * 2;
      (void)unused;
    }
  }
}

int main(void) {
  for (int i = 0; i < N; i++) a[i] = i, b[i] = N - i, c[i] = 1;
  for (int round = 0; round < 5; round++) work(N - round, round + 1, 1.25);
  double sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * 3 + b[i] + c[i];
  printf("%.17g\n", sum);
  return 0;
}
//--- waiting.c
// Each thread has one iteration, which waits for those of all others.
// LOOPS: 3
// DEALT: 2
int omp_get_num_threads(void);
int sched_yield(void);

static void wait_for_all(int *here, int team) {
  __atomic_fetch_add(here, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(here, __ATOMIC_ACQUIRE) < team) sched_yield();
}

int main(void) {
  for (int round = 0; round < 6; round++) {
    int here = 0, again = 0, dispatched = 0, last = -1;
#pragma omp parallel
    {
      int team = omp_get_num_threads();
#pragma omp for schedule(static) lastprivate(last)
      for (int i = 0; i < team; i++) {
        STEP(0, i, team, i);
        wait_for_all(&here, team);
        last = i;
      }
#pragma omp for schedule(static, 2)
      for (int i = 0; i < 2 * team; i++) {
        STEP(1, i, 2 * team, i);
        if (i % 2 == 1) wait_for_all(&again, team);
      }
#pragma omp for schedule(dynamic)
      for (int i = 0; i < team; i++) {
        STEP(2, i, team, i);
        wait_for_all(&dispatched, team);
      }
    }
    report(0), report(1), report_values(2);
    if (last + 1 != here) return 1;
  }
  return 0;
}
