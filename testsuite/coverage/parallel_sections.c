// SHAPE: `parallel sections`
// INSTRUMENTED: 0
// ALONE: a sections construct, not a loop
// UNOBSERVED: yes
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
  int last = 0;
#pragma omp parallel sections lastprivate(last)
  {
#pragma omp section
    MARK(0, 0, last = n);
#pragma omp section
    MARK(0, 1, last = n + 1);
  }
  printf("%d\n", last);
}
