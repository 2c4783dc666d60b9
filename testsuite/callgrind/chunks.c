// One loop of chunks of one iteration, dealt by the program and by the runtime, with so many iterations as an argument says: the
// difference of two numbers is what chunks take.

#include <stdlib.h>

int main(int argc, char **argv) {
  int iterations = argc > 1 ? atoi(argv[1]) : 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < iterations; i++) __asm__ volatile("" : : "r"(i));
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < iterations; i++) __asm__ volatile("" : : "r"(i));
  }
  return 0;
}
