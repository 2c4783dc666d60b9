// SHAPE: first value and step where the runtime deals the chunks
// INSTRUMENTED: 4
// DEALT: 0 1 2 3
// USER: 0 1 2 3
#define THREADS_VARY
#include "coverage.h"

void loops(int n) {
  int low = -n, by = n % 4 + 1, chunk = n % 3 + 1;
#pragma omp parallel for schedule(dynamic, chunk)
  for (int i = low; i < low + by * n; i += by) STEP(0, (i - low) / by, n, i);
#pragma omp parallel for schedule(guided)
  for (int i = 3 * n; i > 0; i -= 3) STEP(1, n - i / 3, n, i);
#pragma omp parallel for schedule(dynamic, 4)
  for (long i = 100; i < 100 + 7L * n; i += 7) STEP(2, (i - 100) / 7, n, i);
#pragma omp parallel for schedule(runtime)
  for (short i = 5; i < n + 5; i++) STEP(3, i - 5, n, i);
}
