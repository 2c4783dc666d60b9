/* The value that a loop's last iteration leaves, of teams of all sizes and loops of few and many iterations. Says of the largest loop
 * whether its first thread had as many iterations in all regions. */
#include <omp.h>
#include <stdio.h>

enum { MOST = 200, REGIONS = 40 };

static int ran[MOST];
static long iterations, wrong;
static int first_block = -1, blocks_differ;

static void check(long count, long left, long expected) {
  for (long i = 0; i < MOST; i++) {
    wrong += ran[i] != (i < count);
    ran[i] = 0;
  }
  iterations += count;
  wrong += left != expected;
}

static void up(int count) {
  int left = -1, of_first = 0;
#pragma omp parallel for schedule(static) lastprivate(left) reduction(+ : of_first)
  for (int i = 0; i < count; i++) {
    ran[i]++;
    left = 3 * i;
    of_first += omp_get_thread_num() == 0;
  }
  check(count, left, 3 * (count - 1));
  if (count != MOST) return;
  blocks_differ |= first_block >= 0 && of_first != first_block;
  first_block = of_first;
}

static void down(long count) {
  long left = -1;
#pragma omp parallel for schedule(static) lastprivate(left)
  for (long i = count - 1; i >= 0; i--) {
    ran[i]++;
    left = i + 7;
  }
  check(count, left, 7);
}

static void unsigned_and_far(unsigned long count) {
  unsigned long left = 0, begin = (unsigned long)-1 - MOST;
#pragma omp parallel for schedule(static) lastprivate(left)
  for (unsigned long i = begin; i < begin + count; i++) {
    ran[i - begin]++;
    left = i;
  }
  check((long)count, (long)(left - begin), (long)count - 1);
}

static void both(int count) {
  int i, j;
#pragma omp parallel for schedule(static) collapse(2) lastprivate(i, j)
  for (i = 0; i < count; i++)
    for (j = 0; j < 3; j++) ran[3 * i + j]++;
  check(3 * count, i * 10 + j, count * 10 + 3);
}

static void in_step(int count) {
  int left = 5;
#pragma omp parallel for simd schedule(static) linear(left : 2)
  for (int i = 0; i < count; i++) {
    ran[i]++;
    left += 2;
  }
  check(count, left, 5 + 2 * count);
}

int main(void) {
  static const int counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 60, MOST};
  for (int region = 0; region < REGIONS; region++)
    for (unsigned number = 0; number < sizeof counts / sizeof *counts; number++) {
      int count = counts[number];
      up(count);
      down(count);
      unsigned_and_far((unsigned long)count);
      both(count > 60 ? 60 : count);
      in_step(count);
    }
  printf("%ld iterations, %ld wrong\nblocks %s\n", iterations, wrong, blocks_differ ? "differ" : "are alike");
  return 0;
}
