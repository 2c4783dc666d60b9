// Loops inside lambdas, lambdas as bodies, and a loop variable that a lambda captures.
//
// LOOPS: 4
#include "program.h"

template <class Body> void each(int n, Body body) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) body(i);
}

int main() {
  int n = 20, base = 100;
  auto loop = [=](int chunk) {
#pragma omp parallel for schedule(static, chunk)
    for (int i = 0; i < n; i++) STEP(0, i, n, base + i);
  };
  loop(1), loop(6);
  each(n, [&](int i) { STEP(1, i, n, base - i); });
  each(n + 1, [=](int i) { STEP(2, i, n + 1, i); });
#pragma omp parallel
  {
    auto inner = [&] {
#pragma omp for schedule(static, 3)
      for (int i = 0; i < n; i++) {
        auto step = [&, i] { STEP(3, i, n, i + base); };
        step();
      }
    };
    inner();
  }
  for (int l = 0; l < 4; l++) report(l);
}
