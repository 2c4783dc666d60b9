// Sections that are cancelled: those that ran before were told of, and no others.
//
// LOOPS: 1
// CANCELLED: 0
// ENV: OMP_CANCELLATION=true
// ENV: OMP_CANCELLATION=false
#include "program.h"

static int later;

int main(void) {
  for (int time = 0; time < 4; time++) {
#pragma omp parallel sections
    {
#pragma omp section
      {
        STEP(0, 0, 4, 0);
        if (time % 2) {
#pragma omp cancel sections
        }
      }
#pragma omp section
      STEP(0, 1, 4, 1);
#pragma omp section
      {
        STEP(0, 2, 4, 2);
#pragma omp cancellation point sections
      }
#pragma omp section
      STEP(0, 3, 4, 3);
    }
  }
  // Which ran depends on how fast the threads are.
  for (int i = 0; i < 4; i++) later += runs_of[0][i] > 0;
  for (int i = 0; i < 4; i++) runs_of[0][i] = 0;
  return later > 4;
}
