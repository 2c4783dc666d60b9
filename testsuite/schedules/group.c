/* Loops without barriers in between, whose later ones rely on the threads of the earlier ones: of teams and trip counts that change
 * from region to region. Who runs an iteration is noted without a call, so that the loops are groups. Says how many iterations ran,
 * how many of them not once or on another thread than in a loop with as many, and whether the first thread's part changed. */
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 240, LOOPS = 6, TURNS = 3, REGIONS = 30 };

typedef long Who;

#ifdef __x86_64__
#define ME (*(Who __seg_fs *)0)
#else
#define ME ((Who)__builtin_thread_pointer())
#endif

static Who who[LOOPS][TURNS][MOST];
static int ran[LOOPS][TURNS][MOST];
static long sums[LOOPS][MOST];
static long trips[LOOPS];
static long iterations, wrong;
static int cost, has_first, first_part, parts_differ;

/* The iteration of that number, which may take time that depends on it. */
#define NOTE(loop, turn, number)                                                                                                          \
  do {                                                                                                                                    \
    who[loop][turn][number] = ME;                                                                                                         \
    ran[loop][turn][number]++;                                                                                                            \
    for (volatile long spent = 0; spent < (long)cost * (number); spent++)                                                                 \
      ;                                                                                                                                   \
  } while (0)

static void check(int turns, int team, int teams) {
  for (int loop = 0; loop < LOOPS; loop++)
    for (int turn = 0; turn < turns; turn++)
      for (long i = 0; i < MOST; i++) {
        wrong += ran[loop][turn][i] != (i < trips[loop]);
        iterations += i < trips[loop];
        ran[loop][turn][i] = 0;
        for (int other = 0; other < loop; other++)
          if (trips[other] == trips[loop] && i < trips[loop])
            wrong += who[loop][turn][i] != who[other][0][i];
        if (turn > 0 && i < trips[loop])
          wrong += who[loop][turn][i] != who[loop][0][i];
      }
  if (team != teams || trips[0] != MOST || turns != 1)
    return;
  int part = 0;
  for (long i = 0; i < MOST; i++)
    part += who[0][0][i] == ME;
  parts_differ |= has_first && part != first_part;
  has_first = 1, first_part = part;
}

/* Six loops of 32 and 64 bits, up and down, of which two leave the last value, and one has another trip count. */
static void chain(int count, int other, int team, int teams) {
  int left = 40;
  unsigned long far_left = 0, begin = -1UL - MOST;
  long step = 3;
#pragma omp parallel num_threads(team)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++) {
      NOTE(0, 0, i);
      sums[0][i] = 5 * i;
    }
#pragma omp for schedule(static) nowait linear(left : 2)
    for (int i = count - 1; i >= 0; i--) {
      NOTE(1, 0, count - 1 - i);
      sums[1][count - 1 - i] = sums[0][count - 1 - i] + 1;
      left += 2;
    }
#pragma omp for schedule(static) nowait
    for (int i = 0; i < other; i++)
      NOTE(2, 0, i);
#pragma omp for schedule(static) nowait
    for (long i = step * count; i > 0; i -= step) {
      NOTE(3, 0, count - i / step);
      sums[2][count - i / step] = sums[1][count - i / step] + 1;
    }
#pragma omp for schedule(static) nowait
    for (unsigned i = 10; i < 10 + 2 * (unsigned)count; i += 2) {
      NOTE(4, 0, (i - 10) / 2);
      sums[3][(i - 10) / 2] = sums[2][(i - 10) / 2] + 1;
    }
#pragma omp for schedule(static) lastprivate(far_left)
    for (unsigned long i = begin; i < begin + (unsigned long)count; i++) {
      NOTE(5, 0, (long)(i - begin));
      sums[4][i - begin] = sums[3][i - begin] + 1;
      far_left = i;
    }
  }
  for (int loop = 0; loop < LOOPS; loop++)
    trips[loop] = loop == 2 ? other : count;
  for (int i = 0; i < count; i++)
    wrong += sums[4][i] != 5 * i + 4;
  wrong += left != 40 + 2 * count;
  wrong += far_left - begin != (unsigned long)count - 1;
  check(1, team, teams);
}

/* Two loops that follow each other again and again. */
static void again(int count, int team, int teams) {
#pragma omp parallel num_threads(team)
  for (int turn = 0; turn < TURNS; turn++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++) {
      NOTE(0, turn, i);
      sums[0][i] = turn ? sums[1][i] + 1 : i;
    }
#pragma omp for schedule(static) nowait
    for (long i = count; i > 0; i--) {
      NOTE(1, turn, count - i);
      sums[1][count - i] = sums[0][count - i] + 1;
    }
  }
  for (int loop = 0; loop < LOOPS; loop++)
    trips[loop] = loop < 2 ? count : 0;
  for (int i = 0; i < count; i++)
    wrong += sums[1][i] != i + 2 * TURNS - 1;
  check(TURNS, team, teams);
}

int main(int argc, char **argv) {
  static const int counts[] = {1, 2, 3, 5, 7, 8, 9, 61, MOST};
  enum { COUNTS = sizeof counts / sizeof *counts };
  int teams = argc > 1 ? atoi(argv[1]) : 1;
  cost = argc > 2 ? atoi(argv[2]) : 0;
  for (int region = 0; region < REGIONS; region++) {
    /* Large teams first and often: what is learned of them is of use for the smaller ones. */
    int team = region % 4 == 3 ? 1 + region % teams : teams;
    for (int number = cost ? COUNTS - 1 : 0; number < COUNTS; number++) {
      chain(counts[number], counts[region % COUNTS], team, teams);
      again(counts[number], team, teams);
    }
  }
  printf("%ld iterations, %ld wrong\nparts %s\n", iterations, wrong, parts_differ ? "differ" : "are alike");
  return 0;
}
