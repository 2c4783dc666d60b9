/* Loops with a profile and without, for one reason each. */
#include <stdio.h>

static double a[20000], b[20000];

static double sum(void) {
  double s = 0;
#pragma omp parallel for reduction(+ : s) schedule(static)
  for (int i = 0; i < 20000; i++) {
#pragma clang fp reassociate(on)
    s += a[i] * b[i];
  }
  return s;
}

int main(void) {
  double s = 0;
  for (int k = 0; k < 20; k++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 20000; i++) a[i] = a[i] * 0.5 + i;
#pragma omp parallel for schedule(dynamic, 500)
    for (int i = 0; i < 20000; i++) b[i] = b[i] * 0.5 + i;
    s += sum();
  }
  printf("%g\n", s);
  return 0;
}
