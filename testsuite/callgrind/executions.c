// Executions of a loop with one chunk, as nine of ten loops in real codes have per thread, in a number that is an
// argument: the difference of two numbers is what executions take, wherever they take it. A second argument: the tool is
// told to pause.

#include <stdlib.h>

/* Not of omp.h, which not every clang finds. */
int omp_control_tool(int command, int modifier, void *argument);
enum { PAUSE = 2 };

int main(int argc, char **argv) {
  int executions = argc > 1 ? atoi(argv[1]) : 0;
  if (argc > 2) omp_control_tool(PAUSE, 0, NULL);
#pragma omp parallel num_threads(1)
  for (int execution = 0; execution < executions; execution++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 1; i++) __asm__ volatile("");
  }
  return 0;
}
