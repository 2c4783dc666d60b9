// Every entry point of the runtime: signed and unsigned, 32 and 64 bits; with a constant chunk, a
// variable one, and none.
//
// LOOPS: 12
// USER: 0 1 2 3 4 5 6 7 8 9 10 11
// MATRIX: full
#include "program.h"

static void entry_4(int n, int chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, chunk)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) STEP(2, i, n, i);
  }
}

static void entry_4u(unsigned n, unsigned chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (unsigned i = 0; i < n; i++) STEP(3, i, n, i);
#pragma omp for schedule(static, chunk)
    for (unsigned i = 0; i < n; i++) STEP(4, i, n, i);
#pragma omp for schedule(static)
    for (unsigned i = 0; i < n; i++) STEP(5, i, n, i);
  }
}

static void entry_8(long n, long chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (long i = 0; i < n; i++) STEP(6, i, n, i);
#pragma omp for schedule(static, chunk)
    for (long i = 0; i < n; i++) STEP(7, i, n, i);
#pragma omp for schedule(static)
    for (long i = 0; i < n; i++) STEP(8, i, n, i);
  }
}

static void entry_8u(unsigned long n, unsigned long chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (unsigned long i = 0; i < n; i++) STEP(9, i, n, i);
#pragma omp for schedule(static, chunk)
    for (unsigned long i = 0; i < n; i++) STEP(10, i, n, i);
#pragma omp for schedule(static)
    for (unsigned long i = 0; i < n; i++) STEP(11, i, n, i);
  }
}

int main(void) {
  for (int n = 0; n < 60; n += 29) {
    for (int chunk = 1; chunk < 30; chunk += 7) {
      entry_4(n, chunk);
      entry_4u(n, chunk);
      entry_8(n, chunk);
      entry_8u(n, chunk);
      for (int loop = 0; loop < 12; loop++) report(loop);
    }
  }
  return 0;
}
