#include "program.h"
//--- cancel.c
// Cancelled loops leave through a second exit. Cancellation is on and off.
// LOOPS: 3
// CANCELLED: 0 1
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
/* Which thread stops where depends on time, so the output must not tell. */
static int ran_first;

int main(void) {
  int n = 50;
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) {
      TELL(0, i, n);
      if (i == 0) {
        ran_first++;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      TELL(1, i, n);
      if (i == 0) {
        ran_first++;
#pragma omp cancel for
      }
    }
    // The frame of a cancelled loop must be gone.
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
  }
  report(2);
  printf("%d\n", ran_first);
  return 0;
}
//--- doacross.c
// Iterations that wait for each other across chunks.
// LOOPS: 2
// USER: 0
static long sum[64], square[16][16];

int main(void) {
  int n = 40, m = 8;
#pragma omp parallel for ordered(1) schedule(static, 3)
  for (int i = 1; i < n; i++) {
    STEP(0, i - 1, n - 1, i);
#pragma omp ordered depend(sink : i - 1)
    sum[i] = sum[i - 1] + i;
#pragma omp ordered depend(source)
  }
#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 1; i < m; i++)
    for (int j = 1; j < m; j++) {
      if (j == 1) STEP(1, i - 1, m - 1, i);
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      square[i][j] = square[i - 1][j] + square[i][j - 1] + 1;
#pragma omp ordered depend(source)
    }
  report(0);
  report(1);
  printf("%ld %ld\n", sum[n - 1], square[m - 1][m - 1]);
  return 0;
}
//--- runtime_schedule.c
// Loops whose chunks the runtime deals itself. Its own events must arrive unchanged, and beside each of
// them one chunk event.
// LOOPS: 4
// DEALT: 0 1 2 3
// ENV: OMP_SCHEDULE=static,3
// ENV: OMP_SCHEDULE=dynamic,4
int main(void) {
  for (int n = 0; n < 40; n += 13) {
#pragma omp parallel
    {
#pragma omp for schedule(runtime)
      for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(dynamic, 4)
      for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(guided)
      for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(auto)
      for (int i = 0; i < n; i++) STEP(3, i, n, i);
    }
    for (int loop = 0; loop < 4; loop++) report_values(loop);
  }
  return 0;
}
//--- scan.c
// A scan runs the loop twice, once for each half of the body.
// LOOPS: 2
// FLAGS: -lm
int main(void) {
  enum { N = 37 };
  int in[N], out[N], sum = 0;
  for (int i = 0; i < N; i++) in[i] = i * 3 % 11;
#pragma omp parallel for schedule(static, 4) reduction(inscan, + : sum)
  for (int i = 0; i < N; i++) {
    STEP(0, i, N, i);
    sum += in[i];
#pragma omp scan inclusive(sum)
    STEP(1, i, N, i);
    out[i] = sum;
  }
  report(0);
  report(1);
  for (int i = 0; i < N; i++) printf("%d ", out[i]);
  printf("%d\n", sum);
  return 0;
}
//--- sections.c
// Each section is a chunk of its own: as many as threads, fewer, more, one, none of them with code, and with clauses.
// LOOPS: 7
// NO-USER: 0 1 2 3 4 5
// MATRIX: full
static void orphaned(void) {
#pragma omp sections
  {
#pragma omp section
    STEP(5, 0, 2, 50);
#pragma omp section
    STEP(5, 1, 2, 51);
  }
}

static long all_of(int add) {
  long sum = 0, last = 0;
#pragma omp parallel sections firstprivate(add) lastprivate(last) reduction(+ : sum)
  {
    {
      STEP(3, 0, 4, add);
      sum += add, last = 1;
    }
#pragma omp section
    {
      STEP(3, 1, 4, add + 1);
      sum += add + 1, last = 2;
    }
#pragma omp section
    {
      STEP(3, 2, 4, add + 2);
      for (int i = 0; i < 5; i++) sum += add + 2;
      last = 3;
    }
#pragma omp section
    {
      STEP(3, 3, 4, add + 3);
      sum += add + 3, last = 4;
    }
  }
  return 1000 * last + sum;
}

static void two_in_a_region(void) {
#pragma omp parallel
  for (int time = 0; time < 3; time++) {
#pragma omp sections nowait
    {
#pragma omp section
      STEP(1, 0, 2, 10);
#pragma omp section
      STEP(1, 1, 2, 11);
    }
#pragma omp sections
    {
#pragma omp section
      STEP(2, 0, 1, 20);
    }
#pragma omp barrier
  }
}

/* Each section runs a region of its own, with sections and a loop. */
static void nested(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      STEP(4, 0, 3, 40);
#pragma omp parallel num_threads(2)
      orphaned();
    }
#pragma omp section
    STEP(4, 1, 3, 41);
#pragma omp section
    {
      STEP(4, 2, 3, 42);
#pragma omp parallel for num_threads(2) schedule(static, 1)
      for (int i = 0; i < 3; i++) STEP(6, i, 3, i);
    }
  }
}

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel sections
  {
#pragma omp section
    STEP(0, 0, 9, 0);
#pragma omp section
    STEP(0, 1, 9, 1);
#pragma omp section
    STEP(0, 2, 9, 2);
#pragma omp section
    STEP(0, 3, 9, 3);
#pragma omp section
    STEP(0, 4, 9, 4);
#pragma omp section
    STEP(0, 5, 9, 5);
#pragma omp section
    STEP(0, 6, 9, 6);
#pragma omp section
    STEP(0, 7, 9, 7);
#pragma omp section
    STEP(0, 8, 9, 8);
  }
  two_in_a_region();
  printf("%ld\n", all_of(7));
  nested();
  for (int loop = 0; loop < 7; loop++) report(loop);
  return 0;
}
//--- sections_cancel.c
// Sections that are cancelled: those that ran before were told of, and no others.
// LOOPS: 1
// CANCELLED: 0
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
static int later;

int main(void) {
  for (int time = 0; time < 4; time++) {
#pragma omp parallel sections
    {
#pragma omp section
      {
        STEP(0, 0, 4, 0);
        if (time % 2) {
#pragma omp cancel sections
        }
      }
#pragma omp section
      STEP(0, 1, 4, 1);
#pragma omp section
      {
        STEP(0, 2, 4, 2);
#pragma omp cancellation point sections
      }
#pragma omp section
      STEP(0, 3, 4, 3);
    }
  }
  // Which ran depends on how fast the threads are.
  for (int i = 0; i < 4; i++) later += runs_of[0][i] > 0;
  for (int i = 0; i < 4; i++) runs_of[0][i] = 0;
  return later > 4;
}
//--- serialized.c
// Teams of one: the whole loop on the encountering thread.
// LOOPS: 4
// USER: 0 1 2 3
static void all(int n, int parallel) {
#pragma omp parallel for schedule(static, 3) if (0)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for schedule(static, 3) if (parallel)
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp parallel for schedule(static, 3) num_threads(1)
  for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp parallel for if (parallel)
  for (int i = 0; i < n; i++) STEP(3, i, n, i);
  for (int loop = 0; loop < 4; loop++) report(loop);
}

int main(void) {
  for (int n = 0; n < 20; n += 6) all(n, 0), all(n, 1);
  return 0;
}
//--- tasks.c
// Explicit tasks between and inside of iterations, with parallel loops of their own: a thread leaves an
// iteration for another task's loop and comes back.
// LOOPS: 3
// THREADS: 1 2 3
static long outer, inner, later;

static void nested(int loop, long *count) {
#pragma omp parallel for schedule(static, 2) num_threads(2)
  for (int j = 0; j < 5; j++) {
    TELL(loop, j, 5);
#pragma omp atomic
    (*count)++;
  }
}

static void nested_too(long *count) {
#pragma omp parallel for
  for (int j = 0; j < 3; j++) {
    TELL(2, j, 3);
#pragma omp atomic
    (*count)++;
  }
}

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < 20; i++) {
      TELL(0, i, 20);
#pragma omp atomic
      outer++;
#pragma omp task
      nested(1, &inner);
      if (i % 4 == 0) {
#pragma omp taskwait
      }
#pragma omp task
      nested_too(&later);
    }
  }
  printf("loop 0: %ld runs\nloop 1: %ld runs\nloop 2: %ld runs\n", outer, inner, later);
  return 0;
}
//--- team_sizes.c
// The team grows and shrinks between executions of the same loop.
// LOOPS: 2
// THREADS: 3
int main(void) {
  for (int round = 0; round < 12; round++) {
    int threads = round * 5 % 7 + 1;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static, 2)
      for (int i = 0; i < 23; i++) STEP(0, i, 23, threads);
#pragma omp for
      for (int i = 0; i < 5; i++) STEP(1, i, 5, threads);
    }
    report(0);
    report(1);
  }
  return 0;
}
