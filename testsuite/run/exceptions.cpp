// Exceptions that are caught inside of the iteration: the loop's body has landing pads.
//
// LOOPS: 3
#include "program.h"

static int destroyed;
struct Guard {
  ~Guard() {
#pragma omp atomic
    destroyed++;
  }
};

__attribute__((noinline)) static int odd_throws(int i) {
  Guard guard;
  if (i % 2) throw i;
  return i * 10;
}

int main() {
  int n = 23;
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < n; i++) {
    int value;
    try {
      Guard guard;
      value = odd_throws(i);
    } catch (int e) {
      value = -e;
    }
    STEP(0, i, n, value);
  }
#pragma omp parallel
  {
    try {
#pragma omp for
      for (int i = 0; i < n; i++) {
        STEP(1, i, n, i);
        try {
          odd_throws(i);
        } catch (...) {
        }
      }
    } catch (...) {
    }
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++) {
      Guard guard;
      STEP(2, i, n, i);
    }
  }
  for (int loop = 0; loop < 3; loop++) report(loop);
  printf("destroyed %d\n", destroyed);
}
