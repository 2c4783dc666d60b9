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
