// Static loops between everything else that shares work: their events must not disturb the others'.
//
// LOOPS: 6
// DEALT: 1 3
#include "program.h"

int main(void) {
  int n = 37, ran = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp sections
    {
#pragma omp section
#pragma omp atomic
      ran++;
#pragma omp section
#pragma omp atomic
      ran++;
    }
#pragma omp single
#pragma omp atomic
    ran++;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
#pragma omp for schedule(guided, 2) nowait
    for (int i = 0; i < n; i++) STEP(3, i, n, i);
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++) STEP(4, i, n, i);
  }
  report(0), report_values(1), report(2), report_values(3), report(4);
  printf("%d\n", ran);
  return 0;
}
