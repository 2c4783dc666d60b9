// One execution of a loop with one chunk, of as many iterations as an argument says: the difference of two numbers is what
// iterations take, and with sub-blocks of one iteration, what these take.

#include <stdlib.h>

int main(int argc, char **argv) {
  int iterations = argc > 1 ? atoi(argv[1]) : 0;
#pragma omp parallel for schedule(static) num_threads(1)
  for (int i = 0; i < iterations; i++) __asm__ volatile("");
  return 0;
}
