// SHAPE: a template, instantiated twice
// INSTRUMENTED: 2
#include "coverage.h"

template <class T, unsigned Loop> static void each(T n) {
#pragma omp parallel for schedule(static, 10)
  for (T i = 0; i < n; i++) STEP(Loop, i, n, i);
}

void loops(int n) {
  each<int, 0>(n);
  each<unsigned long, 1>(static_cast<unsigned long>(n));
}
