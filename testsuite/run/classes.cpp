// Privates with constructors and destructors: code before and after the loop, and a variable of the
// iteration that is built and destroyed each time.
//
// LOOPS: 4
// BY-THREAD: yes
#include "program.h"

static int alive;

struct Counted {
  long value;
  Counted(long v = 1) : value(v) { change(1); }
  Counted(const Counted &other) : value(other.value + 1) { change(1); }
  Counted &operator=(const Counted &other) {
    value = other.value * 3;
    return *this;
  }
  ~Counted() { change(-1); }
  static void change(int by) {
#pragma omp atomic
    alive += by;
  }
};

struct Member {
  Counted own;
  void run(int n) {
#pragma omp parallel for schedule(static, 3) firstprivate(own)
    for (int i = 0; i < n; i++) STEP(3, i, n, own.value++);
  }
};

int main() {
  int n = 17;
  Counted first(5), last(7), priv;
#pragma omp parallel for schedule(static, 3) firstprivate(first) lastprivate(last) private(priv)
  for (int i = 0; i < n; i++) {
    Counted local(i);
    priv.value = local.value;
    last.value = i;
    STEP(0, i, n, first.value + priv.value);
  }
#pragma omp parallel
  {
#pragma omp for schedule(static, 3) firstprivate(first) nowait
    for (int i = 0; i < n; i++) STEP(1, i, n, first.value++);
#pragma omp for firstprivate(last)
    for (int i = 0; i < n; i++) STEP(2, i, n, last.value);
  }
  Member().run(n);
  for (int loop = 0; loop < 4; loop++) report(loop);
  printf("last %ld, alive %d\n", last.value, alive);
}
