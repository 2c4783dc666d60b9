//--- template.h
// Loops that several objects instantiate, one in a function that is inlined wherever it is called.
#include "../run/program.h"

template <class T> void shared_loop(T n) {
#pragma omp parallel for schedule(static, 3)
  for (T i = 0; i < n; i++) TELL(0, i, n);
}

template <class T> inline __attribute__((always_inline)) void inlined_loop(T n) {
#pragma omp for schedule(static, 2)
  for (T i = 0; i < n; i++) TELL(1, i, n);
}
//--- template_a.cpp
// Instantiates the template, and calls the object that does so too.
#include "template.h"

void other(int n);

int main() {
  shared_loop(10);
  other(20);
  shared_loop(30);
#pragma omp parallel
  inlined_loop(30);
  printf("loop 0: 60 runs\nloop 1: 50 runs\n");
}
//--- template_b.cpp
// Instantiates the template that template_a.cpp instantiates.
#include "template.h"

void other(int n) {
  shared_loop(n);
#pragma omp parallel
  inlined_loop(n);
}
