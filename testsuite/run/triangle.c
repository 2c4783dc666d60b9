// A nest whose inner bound depends on the outer variable. The compiler deals the iterations of the
// rectangle around it and skips those outside, so the program cannot count logical iterations.
//
// LOOPS: 2
// UNOBSERVED: yes
#include "program.h"

static void all(int n) {
#pragma omp parallel for collapse(2) schedule(static, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      runs_of[0][i * n + j]++, thread_of[0][i * n + j] = omp_get_thread_num();
    }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j += 2) {
      runs_of[1][i * n + j]++, thread_of[1][i * n + j] = omp_get_thread_num();
    }
  report(0), report(1);
}

int main(void) {
  for (int n = 2; n < 12; n += 3) all(n);
  return 0;
}
