// Correct programs in which an iteration leaves something for the next one of its chunk. Each prints how many values it found wrong: 0,
// under every schedule that cuts no chunk of the source.
//
// chunks ROUNDS [NAME], with OMP_SCHEDULE=dynamic,100
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 3000
#define C 100
static long a[N];
static int n;

// Every third chunk is dear, so that threads are worth balancing.
static void work(int i) {
  volatile long x = 0;
  for (int k = 0; k < (i / C % 3 == 0 ? 200 : 2); k++) x += k;
}

static long differ(void) {
  long wrong = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    sum = (i % C ? sum : 0) + i + 1;
    wrong += a[i] != sum;
  }
  memset(a, 0, sizeof a);
  return wrong;
}

#define PRAGMA(text) _Pragma(#text)

// What an iteration reads the one before has written.
#define CARRIED(name, clauses)                                                                                                        \
  static long name(int c) {                                                                                                            \
    (void)c;                                                                                                                           \
    PRAGMA(omp parallel for clauses)                                                                                                   \
    for (int i = 0; i < n; i++) {                                                                                                      \
      work(i);                                                                                                                         \
      a[i] = (i % C ? a[i - 1] : 0) + i + 1;                                                                                           \
    }                                                                                                                                  \
    return differ();                                                                                                                   \
  }

CARRIED(constant, schedule(static, C))
CARRIED(given, schedule(static, c))
CARRIED(dealt, schedule(dynamic, C))
CARRIED(dealt_as_given, schedule(dynamic, c))
CARRIED(dealt_in_order, schedule(monotonic : dynamic, C))
CARRIED(by_environment, schedule(runtime))

// Who has the last iteration is asked for as well.
static long last_value(int c) {
  (void)c;
  long last = -1;
#pragma omp parallel for schedule(static, C) lastprivate(last)
  for (int i = 0; i < n; i++) {
    work(i);
    a[i] = (i % C ? a[i - 1] : 0) + i + 1;
    last = i;
  }
  return differ() + (last != n - 1);
}

// Tasks of a chunk are siblings, so `depend` orders them.
#define BY_TASKS(name, clauses)                                                                                                        \
  static long name(int c) {                                                                                                            \
    (void)c;                                                                                                                           \
    PRAGMA(omp parallel for clauses)                                                                                                   \
    for (int i = 0; i < n; i++) {                                                                                                      \
      PRAGMA(omp task depend(inout : a[i / C * C]))                                                                                    \
      {                                                                                                                                \
        work(i);                                                                                                                       \
        a[i] = (i % C ? a[i - 1] : 0) + i + 1;                                                                                         \
      }                                                                                                                                \
    }                                                                                                                                  \
    return differ();                                                                                                                   \
  }

BY_TASKS(tasks, schedule(static, C))
BY_TASKS(tasks_as_given, schedule(static, c))
BY_TASKS(dealt_tasks, schedule(dynamic, C))
BY_TASKS(dealt_tasks_as_given, schedule(dynamic, c))

#define FORM(name) {#name, name}
static const struct {
  const char *name;
  long (*run)(int c);
} forms[] = {
    FORM(constant),   FORM(given), FORM(dealt),          FORM(dealt_as_given), FORM(dealt_in_order),       FORM(by_environment),
    FORM(last_value), FORM(tasks), FORM(tasks_as_given), FORM(dealt_tasks),    FORM(dealt_tasks_as_given),
};

int main(int count, char **arguments) {
  const int trips[] = {N, 250, 101, N, 5, 1, N};
  int rounds = atoi(arguments[1]);
  for (unsigned form = 0; form < sizeof forms / sizeof *forms; form++) {
    if (count > 2 && strcmp(arguments[2], forms[form].name)) continue;
    long wrong = 0;
    for (int round = 0; round < rounds; round++) {
      n = trips[round % 7];
      wrong += forms[form].run(C);
    }
    printf("%s: %ld wrong\n", forms[form].name, wrong);
  }
}

// BUILD: clang-22 -O2
// BUILD: clang-22 -O0
// BUILD: clang-19 -O2
// BUILD: clang-16 -O0
// TEAMS: 2x14 3x14 7x14
// ENV: OMP_SCHEDULE=dynamic,100 OMPCHUNK_BALANCE=restless
// ENV: OMP_SCHEDULE=dynamic,100
// ORDER: *=static,7
// ORDER: *=dynamic,7
// ORDER: *=dynamic
// ORDER: *=static
// ORDER: *=guided,100
// ORDER: *=auto
// ORDER: *=dynamic,7|source|static,130
// ORDER: *=balanced
// ORDER: *=adaptive
// ORDER: chunks.c=balanced
// ORDER: !chunks.c=adaptive
// UNSAID: constant 2x1 => *=static,7 => would cut chunks of the source
// UNSAID: dealt 2x1 => *=dynamic,7 => would cut chunks of the source
// UNSAID: constant 2x1 => *=adaptive => would cut chunks of the source
// SAID: constant 2x1 => *=static => would cut chunks of the source
// SAID: dealt 2x1 => *=guided,100 => would cut chunks of the source
// SAID: given 2x1 => *=static,7 => would cut chunks of the source
// SAID: by_environment 2x1 => *=adaptive => would cut chunks of the source
// WRONG: constant 3x14 => constant=static,7 => cuts chunks of 100 iterations of the source
// WRONG: dealt 3x14 => !dealt=static,7 => cuts chunks of 100 iterations of the source
// WRONG: given 3x14 => chunks.c=static,7 => may cut chunks of the source
// WRONG: tasks 3x14 => tasks=dynamic => cuts chunks of 100 iterations
// SAID: given 3x2 => chunks.c=balanced => known to the running program alone
// SAID: given 3x2 => !given=adaptive => known to the running program alone
