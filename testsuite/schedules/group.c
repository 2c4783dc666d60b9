/* Loops without barriers in between, whose later ones rely on the threads of the earlier ones: of teams and trip counts that change
 * from region to region. Who runs an iteration is noted without a call, so that the loops are groups. Says how many iterations ran,
 * how many of them not once or on another thread than in a loop with as many, and whether the first thread's part changed. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 240, LOOPS = 6, TURNS = 3, REGIONS = 30 };

typedef long Who;

#ifdef __x86_64__
#define ME (*(Who __seg_fs *)0)
#else
#define ME ((Who)__builtin_thread_pointer())
#endif

/* What a thread that begins regions knows. */
struct State {
  Who who[LOOPS][TURNS][MOST];
  int ran[LOOPS][TURNS][MOST];
  long sums[LOOPS][MOST];
  long trips[LOOPS];
  long iterations, wrong;
  int has_first, first_part, parts_differ;
};

static int cost, teams;

/* The iteration of that number, which may take time that depends on it. */
#define NOTE(loop, turn, number)                                                                                                          \
  do {                                                                                                                                    \
    s->who[loop][turn][number] = ME;                                                                                                         \
    s->ran[loop][turn][number]++;                                                                                                            \
    for (volatile long spent = 0; spent < (long)cost * (number); spent++)                                                                 \
      ;                                                                                                                                   \
  } while (0)

static void check(struct State *s, int turns, int team) {
  for (int loop = 0; loop < LOOPS; loop++)
    for (int turn = 0; turn < turns; turn++)
      for (long i = 0; i < MOST; i++) {
        s->wrong += s->ran[loop][turn][i] != (i < s->trips[loop]);
        s->iterations += i < s->trips[loop];
        s->ran[loop][turn][i] = 0;
        for (int other = 0; other < loop; other++)
          if (s->trips[other] == s->trips[loop] && i < s->trips[loop])
            s->wrong += s->who[loop][turn][i] != s->who[other][0][i];
        if (turn > 0 && i < s->trips[loop]) s->wrong += s->who[loop][turn][i] != s->who[loop][0][i];
      }
  if (team != teams || s->trips[0] != MOST || turns != 1) return;
  int part = 0;
  for (long i = 0; i < MOST; i++) part += s->who[0][0][i] == ME;
  s->parts_differ |= s->has_first && part != s->first_part;
  s->has_first = 1, s->first_part = part;
}

/* Six loops of 32 and 64 bits, up and down, of which two leave the last value, and one has another trip count. */
static void chain(struct State *s, int count, int other, int team) {
  int left = 40;
  unsigned long far_left = 0, begin = -1UL - MOST;
  long step = 3;
#pragma omp parallel num_threads(team)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++) {
      NOTE(0, 0, i);
      s->sums[0][i] = 5 * i;
    }
#pragma omp for schedule(static) nowait linear(left : 2)
    for (int i = count - 1; i >= 0; i--) {
      NOTE(1, 0, count - 1 - i);
      s->sums[1][count - 1 - i] = s->sums[0][count - 1 - i] + 1;
      left += 2;
    }
#pragma omp for schedule(static) nowait
    for (int i = 0; i < other; i++) NOTE(2, 0, i);
#pragma omp for schedule(static) nowait
    for (long i = step * count; i > 0; i -= step) {
      NOTE(3, 0, count - i / step);
      s->sums[2][count - i / step] = s->sums[1][count - i / step] + 1;
    }
#pragma omp for schedule(static) nowait
    for (unsigned i = 10; i < 10 + 2 * (unsigned)count; i += 2) {
      NOTE(4, 0, (i - 10) / 2);
      s->sums[3][(i - 10) / 2] = s->sums[2][(i - 10) / 2] + 1;
    }
#pragma omp for schedule(static) lastprivate(far_left)
    for (unsigned long i = begin; i < begin + (unsigned long)count; i++) {
      NOTE(5, 0, (long)(i - begin));
      s->sums[4][i - begin] = s->sums[3][i - begin] + 1;
      far_left = i;
    }
  }
  for (int loop = 0; loop < LOOPS; loop++) s->trips[loop] = loop == 2 ? other : count;
  for (int i = 0; i < count; i++) s->wrong += s->sums[4][i] != 5 * i + 4;
  s->wrong += left != 40 + 2 * count;
  s->wrong += far_left - begin != (unsigned long)count - 1;
  check(s, 1, team);
}

/* Two loops that follow each other again and again. */
static void again(struct State *s, int count, int team) {
#pragma omp parallel num_threads(team)
  for (int turn = 0; turn < TURNS; turn++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++) {
      NOTE(0, turn, i);
      s->sums[0][i] = turn ? s->sums[1][i] + 1 : i;
    }
#pragma omp for schedule(static) nowait
    for (long i = count; i > 0; i--) {
      NOTE(1, turn, count - i);
      s->sums[1][count - i] = s->sums[0][count - i] + 1;
    }
  }
  for (int loop = 0; loop < LOOPS; loop++) s->trips[loop] = loop < 2 ? count : 0;
  for (int i = 0; i < count; i++) s->wrong += s->sums[1][i] != i + 2 * TURNS - 1;
  check(s, TURNS, team);
}

static void *begin_regions(void *state) {
  static const int counts[] = {1, 2, 3, 5, 7, 8, 9, 61, MOST};
  enum { COUNTS = sizeof counts / sizeof *counts };
  for (int region = 0; region < REGIONS; region++) {
    /* Large teams first and often: what is learned of them is of use for the smaller ones. */
    int team = region % 4 == 3 ? 1 + region % teams : teams;
    for (int number = cost ? COUNTS - 1 : 0; number < COUNTS; number++) {
      chain(state, counts[number], counts[region % COUNTS], team);
      again(state, counts[number], team);
    }
  }
  return NULL;
}

/* group TEAM [COST [THREADS]] */
int main(int argc, char **argv) {
  teams = argc > 1 ? atoi(argv[1]) : 1;
  cost = argc > 2 ? atoi(argv[2]) : 0;
  int threads = argc > 3 ? atoi(argv[3]) : 1;
  static struct State states[8];
  pthread_t others[8];
  for (int thread = 1; thread < threads; thread++)
    pthread_create(&others[thread], NULL, begin_regions, &states[thread]);
  begin_regions(&states[0]);
  long iterations = states[0].iterations, wrong = states[0].wrong;
  for (int thread = 1; thread < threads; thread++) {
    pthread_join(others[thread], NULL);
    iterations += states[thread].iterations;
    wrong += states[thread].wrong;
  }
  printf("%ld iterations, %ld wrong\nparts %s\n", iterations, wrong, states[0].parts_differ ? "differ" : "are alike");
  return 0;
}
