// Correct programs that rely on which thread runs which iteration, as OpenMP 5.2 promises in 11.5.3. Each prints how many values it
// found wrong: 0, under every schedule that keeps the promise.
//
// program ROUNDS [NAME]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Not every compiler here has an omp.h.
int omp_get_thread_num(void);
int omp_get_num_threads(void);

#define N 4000
static int a[N], b[N], c[15][N];
static int own[N];
#pragma omp threadprivate(own)

static void clear(void) {
  memset(a, -1, sizeof a);
  memset(b, -1, sizeof b);
}

static int differ(const int *values, int from) {
  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += values[i] != i + from;
  return wrong;
}

// What one loop writes the next one reads, without a barrier.
int pair(int round) {
  clear();
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++) a[i] = i + round;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) b[i] = a[i];
  }
  return differ(b, round);
}

// The same loop, again and again.
int itself(int round) {
  clear();
#pragma omp parallel
  for (int k = 0; k < 4; k++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++) a[i] = k == 0 ? i + round : a[i] + (a[i] == i + round + k - 1);
  }
  return differ(a, round + 3);
}

// A thread reads the chunks that it knows to be its own.
int chunks(int round) {
  int wrong = 0;
  clear();
#pragma omp parallel
  {
    const int number = omp_get_thread_num(), threads = omp_get_num_threads();
    int mine = 0;
#pragma omp for schedule(static, 4) nowait
    for (int i = 0; i < N; i++) a[i] = i + round;
    for (int chunk = 4 * number; chunk < N; chunk += 4 * threads)
      for (int i = chunk; i < chunk + 4 && i < N; i++) mine += a[i] != i + round;
#pragma omp critical
    wrong += mine;
  }
  return wrong;
}

// Data of each thread's own, across a barrier.
int threadprivate(int round) {
  int wrong = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) own[i] = i + round + 1;
#pragma omp for schedule(static) reduction(+ : wrong)
    for (int i = 0; i < N; i++) wrong += own[i] != i + round + 1;
  }
  return wrong;
}

// Likewise in variables of the region's.
int variables(int round) {
  int wrong = 0;
#pragma omp parallel
  {
    int kept[N];
    memset(kept, -1, sizeof kept);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) kept[i] = i + round;
#pragma omp for schedule(static) reduction(+ : wrong)
    for (int i = 0; i < N; i++) wrong += kept[i] != i + round;
  }
  return wrong;
}

// Likewise in memory that a thread asks for, and that it finds by what only it has drawn.
int memory(int round) {
  static int slots[300][N];
  static int drawn;
  int wrong = 0;
  drawn = 0;
#pragma omp parallel
  {
    int *kept = malloc(sizeof *kept * N), ticket;
#pragma omp atomic capture
    ticket = drawn++;
    memset(kept, -1, sizeof *kept * N);
    memset(slots[ticket], -1, sizeof slots[0]);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) slots[ticket][i] = kept[i] = i + round;
#pragma omp for schedule(static) reduction(+ : wrong)
    for (int i = 0; i < N; i++) wrong += (kept[i] != i + round) + (slots[ticket][i] != i + round);
    free(kept);
  }
  return wrong;
}

// The primary thread reads what it wrote itself, since it has the first chunk.
int primary(int round) {
  int wrong = 0;
  clear();
#pragma omp parallel
  {
#pragma omp for schedule(static, 8) nowait
    for (int i = 0; i < N; i++) a[i] = i + round;
#pragma omp masked
    for (int i = 0; i < 8; i++) wrong += a[i] != i + round;
  }
  return wrong;
}

// Two functions, each with a loop.
static __attribute__((noinline)) void writes(int round) {
#pragma omp for schedule(static) nowait
  for (int i = 0; i < N; i++) a[i] = i + round;
}

__attribute__((noinline)) void reads(void) {
#pragma omp for schedule(static)
  for (int i = 0; i < N; i++) b[i] = a[i];
}

int orphans(int round) {
  clear();
#pragma omp parallel
  {
    writes(round);
    reads();
  }
  return differ(b, round);
}

// One in the region, one in a function.
int half(int round) {
  clear();
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++) a[i] = i + round;
    reads();
  }
  return differ(b, round);
}

// The second loop runs in every second region.
int sometimes(int round) {
  clear();
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++) a[i] = i + round;
    if (round % 2) {
#pragma omp for schedule(static)
      for (int i = 0; i < N; i++) b[i] = a[i];
    }
  }
  return round % 2 ? differ(b, round) : 0;
}

// A long chain in which all can be changed.
#define LINK(n)                                                                                                              \
  _Pragma("omp for schedule(static) nowait") for (int i = 0; i < N; i++) c[n][i] = c[n - 1][i] + (c[n - 1][i] == i + round);
int chain(int round) {
  for (int n = 0; n < 15; n++)
    for (int i = 0; i < N; i++) c[n][i] = n ? -1 : i + round;
#pragma omp parallel
  {
    LINK(1) LINK(2) LINK(3) LINK(4) LINK(5) LINK(6) LINK(7) LINK(8) LINK(9) LINK(10) LINK(11) LINK(12) LINK(13) LINK(14)
  }
  int wrong = 0;
  for (int n = 2; n < 15; n++) wrong += differ(c[n], round + 1);
  return wrong;
}

// A short one.
int triple(int round) {
  memset(c, -1, sizeof c);
  for (int i = 0; i < N; i++) c[0][i] = i + round;
#pragma omp parallel
  { LINK(1) LINK(2) LINK(3) }
  return differ(c[3], round + 1);
}

// clang 16 knows no modifier; without one the clause says the same.
#if __clang_major__ > 16
#define IN_ANY_ORDER reproducible : concurrent
#else
#define IN_ANY_ORDER concurrent
#endif
int reproducible(int round) {
  clear();
#pragma omp parallel
  {
#pragma omp for order(IN_ANY_ORDER) nowait
    for (int i = 0; i < N; i++) a[i] = i + round;
#pragma omp for order(IN_ANY_ORDER)
    for (int i = 0; i < N; i++) b[i] = a[i];
  }
  return differ(b, round);
}

// A thread's iterations come one after the other.
int monotonic(int round) {
  int wrong = 0, last = -1;
#pragma omp parallel for schedule(monotonic : dynamic, 4) firstprivate(last) reduction(+ : wrong)
  for (int i = 0; i < N; i++) {
    wrong += i < last;
    last = i;
    if ((i + round) % 64 == 0)
      for (volatile int spent = 0; spent < 200; spent++) ;
  }
  return wrong;
}

int last_value(int round) {
  int value = -1;
#pragma omp parallel for lastprivate(value)
  for (int i = 0; i < N; i++) {
    value = i + round;
    if (i % 64 == 0)
      for (volatile int spent = 0; spent < 50; spent++) ;
  }
  return value != N - 1 + round;
}

// Data of each thread's own that only a pointer names.
int pointer(int round) {
  int wrong = 0;
#pragma omp parallel
  {
    int kept[N], *to = kept;
    memset(to, -1, sizeof kept);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) to[i] = i + round;
#pragma omp for schedule(static) reduction(+ : wrong)
    for (int i = 0; i < N; i++) wrong += to[i] != i + round;
  }
  return wrong;
}

// A thread's iterations follow each other: each goes on from the one before.
int goes_on(int round) {
  int is_first = 1, value = 0;
  clear();
#pragma omp parallel for schedule(static) firstprivate(is_first, value)
  for (int i = 0; i < N; i++) {
    value = is_first ? i + round : value + 1;
    is_first = 0;
    b[i] = value;
  }
  return differ(b, round);
}

// Nothing relies on these two: they change.
int ordinary(int round) {
  clear();
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i] = i + round;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) b[i] = a[N - 1 - i];
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) a[i] = b[N - 1 - i];
  }
  return differ(a, round);
}

static const struct {
  const char *name;
  int (*run)(int round);
} ALL[] = {{"pair", pair},         {"itself", itself},     {"chunks", chunks},       {"threadprivate", threadprivate},
           {"variables", variables}, {"memory", memory},     {"primary", primary},     {"orphans", orphans},
           {"half", half},         {"sometimes", sometimes}, {"chain", chain},         {"triple", triple},
           {"reproducible", reproducible}, {"monotonic", monotonic}, {"last_value", last_value}, {"ordinary", ordinary},
           {"pointer", pointer},   {"goes_on", goes_on}};

int main(int count, char **arguments) {
  const int rounds = count > 1 ? atoi(arguments[1]) : 10;
  for (size_t number = 0; number < sizeof ALL / sizeof *ALL; number++) {
    if (count > 2 && strcmp(arguments[2], ALL[number].name)) continue;
    int wrong = 0;
    for (int round = 0; round < rounds; round++) wrong += ALL[number].run(round);
    printf("%s: %d wrong\n", ALL[number].name, wrong);
  }
  return 0;
}

// BUILD: clang-22 -O2
// BUILD: clang-22 -O0
// BUILD: clang-19 -O2
// BUILD: clang-19 -O0
// BUILD: clang-16 -O2
// BUILD: clang-16 -O0
// LINES: -O2
// TEAMS: 2x6 5x4 300x1
// ENV: OMPCHUNK_BALANCE=restless
// ORDER: *=dynamic,3
// ORDER: *=static,7
// ORDER: *=static
// ORDER: *=guided
// ORDER: *=nonmonotonic:dynamic
// ORDER: *=monotonic:dynamic,2|source|static,3
// ORDER: *=static,2|static,5
// ORDER: *=auto
// ORDER: *=balanced
// ORDER: *=adaptive
// ORDER: *=balanced|static,3
// RIGHT: pair 5x8 => pair=static,7
// RIGHT: triple 5x8 => program.c:203=static,7
// RIGHT: sometimes 5x8 => sometimes=static,2|static,5
// RIGHT: itself 5x8 => itself=static,3
// RIGHT: pair 5x8 => program.c=static,7
// RIGHT: pair 5x8 => pair=balanced
// RIGHT: triple 5x8 => program.c:203=adaptive
// RIGHT: sometimes 5x8 => sometimes=balanced|static,5
// RIGHT: pair 5x8 => pair=dynamic,3 => static schedules alone keep
// RIGHT: chain 5x8 => chain=static,7
// RIGHT: pair 5x8 => pair=static,2; program.c:36=source => different schedules
// RIGHT: itself 5x8 => itself=guided => static schedules alone keep
// SAID: monotonic 5x8 => monotonic=nonmonotonic:dynamic,3 => its source says monotonic
// RIGHT: ordinary 5x8 => ordinary=dynamic,3
// RIGHT: ordinary 5x8 => program.c=guided
// SAID: pair 2x2 => program.c:36=static,3 => the two give a thread the same iterations
// BROKEN: pair 5x20 => !pair=dynamic,3 => another loop, without a barrier in between
// BROKEN: chunks 5x20 => chunks=static,7 => asks for the thread's number
// BROKEN: threadprivate 5x20 => threadprivate=dynamic,3 => threadprivate or thread-local
// BROKEN: variables 5x20 => variables=dynamic,3 => memory of each thread's own
// BROKEN: memory 5x20 => memory=dynamic,3 => memory of each thread's own
// BROKEN: primary 5x20 => primary=static,7 => asks for the thread's number
// BROKEN: orphans 5x20 => reads=dynamic,3 => its function's callers
