// One execution of a loop of as many chunks as the argument says.

#include <stdlib.h>

int main(int argc, char **argv) {
  int chunks = argc > 1 ? atoi(argv[1]) : 0;
#pragma omp parallel num_threads(1)
#pragma omp for schedule(static, 1)
  for (int i = 0; i < chunks; i++)
    __asm__ volatile("");
  return 0;
}
