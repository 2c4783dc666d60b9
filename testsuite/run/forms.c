#include "program.h"
//--- data_sharing.c
// Clauses that put code around the loop: lastprivate, firstprivate, reduction, linear.
// LOOPS: 5
// BY-THREAD: yes
typedef struct {
  double x[3];
  int n;
} wide_t;

static void all(int n) {
  int last = -1, first = 7, linear = 5;
  long sum = 0;
  unsigned most = 0;
  wide_t wide = {{1, 2, 3}, 4};
#pragma omp parallel for schedule(static, 4) lastprivate(last)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    last = i * 3;
  }
#pragma omp parallel for schedule(static, 4) reduction(+ : sum) reduction(max : most)
  for (int i = 0; i < n; i++) {
    STEP(1, i, n, i);
    sum += i;
    if ((unsigned)i * 7u % 31u > most) most = (unsigned)i * 7u % 31u;
  }
#pragma omp parallel for schedule(static, 4) firstprivate(first, wide)
  for (int i = 0; i < n; i++) {
    STEP(2, i, n, first + wide.n);
    first += i, wide.n++;
  }
#pragma omp parallel for schedule(static, 4) linear(linear : 2)
  for (int i = 0; i < n; i++) {
    STEP(3, i, n, linear);
    linear += 2;
  }
#pragma omp parallel for lastprivate(wide) firstprivate(wide)
  for (int i = 0; i < n; i++) {
    STEP(4, i, n, i);
    wide.n = i;
  }
  for (int loop = 0; loop < 5; loop++) report(loop);
  printf("last %d, linear %d, sum %ld, most %u, wide %d\n", last, linear, sum, most, wide.n);
}

int main(void) {
  for (int n = 1; n < 40; n += 13) all(n);
  return 0;
}
//--- distribute.c
// Loops dealt to the teams of a league, alone and combined with a worksharing loop inside each team.
// LOOPS: 8
// THREADS: 1 2 3
// ENV: KMP_TEAMS_THREAD_LIMIT=12
static int runs[6];

#define RUN(loop, index)                                                                           \
  do {                                                                                             \
    TELL(loop, index, n);                                                                          \
    __atomic_fetch_add(&runs[loop], 1, __ATOMIC_RELAXED);                                          \
  } while (0)

static void all(int n) {
#pragma omp teams distribute dist_schedule(static, 2) num_teams(2)
  for (int i = 0; i < n; i++) RUN(0, i);
#pragma omp teams distribute num_teams(3)
  for (long i = 0; i < n; i++) RUN(1, i);
#pragma omp teams distribute parallel for num_teams(2) thread_limit(3) num_threads(3)
  for (int i = 0; i < n; i++) RUN(2, i);
#pragma omp teams distribute parallel for schedule(static, 2) num_teams(2) thread_limit(4) num_threads(2)
  for (int i = 0; i < n; i++) RUN(3, i);
#pragma omp teams num_teams(2)
  {
#pragma omp distribute dist_schedule(static, 3)
    for (unsigned i = 0; i < (unsigned)n; i++) RUN(4, i);
#pragma omp distribute
    for (int i = n; i > 0; i--) RUN(5, n - i);
  }
}

int main(void) {
  for (int n = 0; n < 30; n += 7) all(n);
  for (int loop = 0; loop < 6; loop++) printf("loop %d: %d runs\n", loop, runs[loop]);
  return 0;
}
//--- loop_construct.c
// The loop construct and loop transformations around a worksharing loop.
// LOOPS: 4
// BY-THREAD: yes
// OLDEST: 18
// FLAGS: -fopenmp-version=51
int main(void) {
  int n = 43;
#pragma omp parallel loop
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel
#pragma omp loop bind(parallel)
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
  // Of tiles and unrolled groups the first iteration stands for the whole.
#pragma omp parallel for schedule(static, 2)
#pragma omp tile sizes(8)
  for (int i = 0; i < n; i++) {
    if (i % 8 == 0) TELL(2, i / 8, (n + 7) / 8);
    value_of[2][i] = (uint64_t)i, runs_of[2][i]++, thread_of[2][i] = who_runs();
  }
#pragma omp parallel for schedule(static, 2)
#pragma omp unroll partial(4)
  for (int i = 0; i < n; i++) {
    if (i % 4 == 0) TELL(3, i / 4, (n + 3) / 4);
    value_of[3][i] = (uint64_t)i, runs_of[3][i]++, thread_of[3][i] = who_runs();
  }
  report(0), report(1);
  long sum = 0;
  for (int i = 0; i < n; i++) sum += (long)value_of[2][i] * 3 + (long)value_of[3][i] + thread_of[2][i];
  printf("loop 2: %d runs\nloop 3: %d runs\nsum %ld\n", (n + 7) / 8, (n + 3) / 4, sum);
  return 0;
}
//--- mixed.c
// Static loops between everything else that shares work: their events must not disturb the others'.
// LOOPS: 6
// DEALT: 1 3
int main(void) {
  int n = 37, ran = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp sections
    {
#pragma omp section
#pragma omp atomic
      ran++;
#pragma omp section
#pragma omp atomic
      ran++;
    }
#pragma omp single
#pragma omp atomic
    ran++;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(guided, 2) nowait
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++) STEP(4, i, n, i);
  }
  report(0), report_values(1), report(2), report_values(3), report(4);
  printf("%d\n", ran);
  return 0;
}
//--- modifiers.c
// Modifier bits in the schedule.
// LOOPS: 4
// USER: 0 1 2 3
int main(void) {
  int n = 41;
#pragma omp parallel
  {
#pragma omp for schedule(monotonic : static, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(nonmonotonic : static, 4)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(monotonic : static)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(nonmonotonic : static)
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
  }
  for (int loop = 0; loop < 4; loop++) report(loop);
  return 0;
}
//--- nested.c
// Regions inside iterations: the inner loops run on the outer team's threads and on new ones.
// LOOPS: 3
// THREADS: 1 2 3
int main(void) {
  long outer = 0, inner = 0, serialized = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel for schedule(static, 2) reduction(+ : outer, inner, serialized)
  for (int i = 0; i < 9; i++) {
    TELL(0, i, 9);
    outer++;
    long sum = 0;
#pragma omp parallel for schedule(static, 3) num_threads(2) reduction(+ : sum, serialized)
    for (int j = 0; j < 10; j++) {
      TELL(1, j, 10);
      sum++;
#pragma omp parallel for reduction(+ : serialized)
      for (int k = 0; k < 3; k++) {
        TELL(2, k, 3);
        serialized++;
      }
    }
    inner += sum;
  }
  printf("loop 0: %ld runs\nloop 1: %ld runs\nloop 2: %ld runs\n", outer, inner, serialized);
  return 0;
}
//--- nowait.c
// Several loops in one function, threads running ahead into the next one.
// LOOPS: 4
// USER: 0 1 2 3
// MATRIX: full
static void all(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3) nowait
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, 5) nowait
    for (long i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for nowait
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(static, 1)
    for (unsigned i = 0; i < (unsigned)n; i++) STEP(3, i, n, i);
  }
}

int main(void) {
  for (int n = 0; n < 40; n += 13) {
    all(n);
    for (int loop = 0; loop < 4; loop++) report(loop);
  }
  return 0;
}
//--- orphaned.c
// Loops in functions of their own, called by a team, by a team of one, and by no team.
// LOOPS: 2
// USER: 0 1
__attribute__((noinline)) void chunked(int n) {
#pragma omp for schedule(static, 3)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}

__attribute__((noinline)) void unchunked(int n) {
#pragma omp for
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
}

static void both(int n) { chunked(n), unchunked(n); }
static void reports(void) { report(0), report(1); }

int main(void) {
  for (int n = 0; n < 40; n += 19) {
    both(n);
    reports();
#pragma omp parallel
    both(n);
    reports();
#pragma omp parallel num_threads(1)
    both(n);
    reports();
#pragma omp parallel if (0)
    both(n);
    reports();
  }
  return 0;
}
//--- orphaned_first.c
// The first OpenMP construct that the process meets is a loop outside of any region: the runtime, and
// with it the tool, starts within it.
// LOOPS: 1
// USER: 0
int main(void) {
#pragma omp for schedule(static, 3)
  for (int i = 0; i < 10; i++) STEP(0, i, 10, i);
  report(0);
  return 0;
}
//--- simd.c
// The combined construct with simd, whose body is one or, with if, two inner loops.
// LOOPS: 4
// USER: 0 1 3
static void all(int n, int vector) {
#pragma omp parallel for simd schedule(static, 4)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp parallel for simd schedule(static, 4) if (simd : vector)
  for (int i = 0; i < n; i++) STEP(2, i, n, i);
  double sum = 0;
#pragma omp parallel for simd schedule(simd : static) safelen(4) simdlen(4) reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    STEP(3, i, n, i);
    sum += 1;
  }
  printf("%g\n", sum);
  for (int loop = 0; loop < 4; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 50; n += 17) all(n, n & 1);
  return 0;
}
