// SHAPE: privates of class type
// INSTRUMENTED: 2
// BY-THREAD: yes
#include "coverage.h"

struct Counted {
  long value;
  Counted(long v = 1) : value(v) {}
  Counted(const Counted &other) : value(other.value + 1) {}
  Counted &operator=(const Counted &other) { return value = other.value * 3, *this; }
  ~Counted() { value = -1; }
};

void loops(int n) {
  Counted first(5), last(7), own;
#pragma omp parallel for schedule(static, 3) firstprivate(first) lastprivate(last) private(own)
  for (int i = 0; i < n; i++) {
    last.value = own.value = i;
    STEP(0, i, n, first.value++ + own.value);
  }
#pragma omp parallel for firstprivate(first)
  for (int i = 0; i < n; i++) STEP(1, i, n, first.value++);
  printf("%ld\n", n ? last.value : 0);
}
