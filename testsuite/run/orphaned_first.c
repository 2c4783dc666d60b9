// The first OpenMP construct that the process meets is a loop outside of any region: the runtime, and
// with it the tool, starts within it.
//
// LOOPS: 1
// USER: 0
#include "program.h"

int main(void) {
#pragma omp for schedule(static, 3)
  for (int i = 0; i < 10; i++) STEP(0, i, 10, i);
  report(0);
  return 0;
}
