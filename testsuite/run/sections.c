// Sections look like a loop to the compiler's output. They are none, and are never reported as one.
//
// LOOPS: 0
#include "program.h"

static int ran[8];

int main(void) {
#pragma omp parallel sections
  {
#pragma omp section
    ran[0]++;
#pragma omp section
    ran[1]++;
#pragma omp section
    ran[2]++;
  }
#pragma omp parallel
  {
#pragma omp sections nowait
    {
#pragma omp section
      ran[3]++;
#pragma omp section
      ran[4]++;
    }
#pragma omp sections
    {
#pragma omp section
      ran[5]++;
    }
#pragma omp single
    ran[6]++;
  }
  for (int i = 0; i < 8; i++) printf("%d\n", ran[i]);
  return 0;
}
