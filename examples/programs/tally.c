/* tally - how often each of four letters occurs, counted by each thread for itself.
 *
 * The counters of all threads are neighbours, so that threads write to the same line of the cache, though never to the same
 * counter. Each of them then takes longer with more threads. Try:
 *
 *   ompchunk scale ./tally
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { LETTERS = 4, LENGTH = 1 << 22, THREADS = 256 };

static unsigned char text[LENGTH];
static long counts[THREADS][LETTERS];

static void tally(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < LENGTH; i++)
    counts[omp_get_thread_num() % THREADS][text[i]]++;
}

int main(int argc, char **argv) {
  int times = argc > 1 ? atoi(argv[1]) : 10;
  unsigned random = 1;
  for (int i = 0; i < LENGTH; i++) {
    random = random * 1103515245 + 12345;
    text[i] = random >> 30;
  }

  for (int time = 0; time < times; time++)
    tally();

  for (int letter = 0; letter < LETTERS; letter++) {
    long sum = 0;
    for (int thread = 0; thread < THREADS; thread++)
      sum += counts[thread][letter];
    printf("%c %ld\n", "ACGT"[letter], sum);
  }
  return 0;
}
