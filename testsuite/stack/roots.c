/* Threads of small stacks begin regions whose loop can be balanced. Prints a sum. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long cells[2][3000];

__attribute__((noinline)) static void work(long *own) {
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 3000; i++)
    for (int j = 0; j < i / 16; j++) own[i] += j ^ i;
}

static void *begin(void *own) {
  for (int region = 0; region < 60; region++) work(own);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_attr_t small;
  pthread_t threads[2];
  pthread_attr_init(&small);
  if (argc < 2 || pthread_attr_setstacksize(&small, atol(argv[1]))) return 2;
  for (int k = 0; k < 2; k++) pthread_create(&threads[k], &small, begin, cells[k]);
  for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
  printf("%d\n", cells[0][2999] == cells[1][2999]);
  return 0;
}
