/* A thread runs loops alone, as often as the first argument says; then a team of the size of the second as often as the
 * third; and at last as many threads as the fourth says come one after the other, each with a loop of its own. Each loop has
 * 100 chunks. Prints how many chunks ran. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static double data[100];

static void run(long repetitions, int threads) {
  for (long r = 0; r < repetitions; r++)
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int i = 0; i < 100; i++) data[i] += i;
}

static void *alone(void *repetitions) {
  run(*(long *)repetitions, 2);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  long first = atol(argv[1]), second = atol(argv[3]), each = 50;
  int threads = atoi(argv[2]), late = atoi(argv[4]);
  run(first, 2);
  run(second, threads);
  for (int t = 0; t < late; t++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, alone, &each) || pthread_join(thread, NULL)) return 3;
  }
  printf("%ld\n", 100 * (first + second + late * each));
  return 0;
}
