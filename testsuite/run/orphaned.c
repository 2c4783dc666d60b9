// Loops in functions of their own, called by a team, by a team of one, and by no team.
//
// LOOPS: 2
// USER: 0 1
#include "program.h"

__attribute__((noinline)) void chunked(int n) {
#pragma omp for schedule(static, 3)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}

__attribute__((noinline)) void unchunked(int n) {
#pragma omp for
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
}

static void both(int n) { chunked(n), unchunked(n); }
static void reports(void) { report(0), report(1); }

int main(void) {
  for (int n = 0; n < 40; n += 19) {
    both(n);
    reports();
#pragma omp parallel
    both(n);
    reports();
#pragma omp parallel num_threads(1)
    both(n);
    reports();
#pragma omp parallel if (0)
    both(n);
    reports();
  }
  return 0;
}
