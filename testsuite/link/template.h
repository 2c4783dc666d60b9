// A loop that several objects instantiate.
#include "../run/program.h"

template <class T> void shared_loop(T n) {
#pragma omp parallel for schedule(static, 3)
  for (T i = 0; i < n; i++) TELL(0, i, n);
}
