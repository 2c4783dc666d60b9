/* A loop of 40 iterations, dealt to two teams of four threads, and a range that begins far from 0: under some chunk sizes threads
 * have no chunk. Counts how often each iteration runs. */
#include <stdio.h>

enum { ITERATIONS = 40, REPETITIONS = 20 };

static int ran[64];

int main(void) {
  int wrong = 0;
  for (int repetition = 0; repetition < REPETITIONS; repetition++) {
    for (int i = 0; i < 64; i++) ran[i] = 0;
#pragma omp teams distribute parallel for num_teams(2) thread_limit(4)
    for (int i = 0; i < ITERATIONS; i++) {
#pragma omp atomic
      ran[i]++;
    }
    for (int i = 0; i < 64; i++) wrong += ran[i] != (i < ITERATIONS);
  }
  printf("%d iterations, %d wrong\n", REPETITIONS * ITERATIONS, wrong);
  return wrong != 0;
}
