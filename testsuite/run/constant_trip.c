// Trip counts that the compiler knows, so that it may simplify the loop.
//
// LOOPS: 4
// USER: 0 1 2 3
#include "program.h"

int main(void) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < 100; i++) STEP(0, i, 100, i);
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < 1; i++) STEP(1, i, 1, i);
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < 10; i++) STEP(2, i, 10, i);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 10; i++) STEP(3, i, 10, i);
  for (int loop = 0; loop < 4; loop++) report(loop);
  return 0;
}
