/* Several primary threads, each with a region after the other in teams of changing size. With KMP_HOT_TEAMS_MAX_LEVEL=0 the runtime takes
 * teams out of a pool that all share. Prints how many iterations did not run once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 200, ROOTS = 4 };
static int rounds;
static long wrong;
static void *root(void *p) {
  int hit[N]; long bad = 0; unsigned seed = (unsigned)(long)p;
  for (int r = 0; r < rounds; r++) {
    int team = 2 + rand_r(&seed) % 3;
    memset(hit, 0, sizeof hit);
#pragma omp parallel for num_threads(team)
    for (int i = 0; i < N; i++) __atomic_fetch_add(&hit[i], 1, __ATOMIC_RELAXED);
    for (int i = 0; i < N; i++) bad += hit[i] != 1;
  }
  __atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
  return 0;
}
int main(int argc, char **argv) {
  if (argc != 2) return 2;
  rounds = atoi(argv[1]);
  pthread_t t[ROOTS];
  for (long i = 0; i < ROOTS; i++) pthread_create(&t[i], 0, root, (void *)(i + 1));
  for (int i = 0; i < ROOTS; i++) pthread_join(t[i], 0);
  printf("%ld wrong\n", wrong);
  return wrong != 0;
}
