#include "program.h"
//--- classes.cpp
// Privates with constructors and destructors: code before and after the loop, and a variable of the
// iteration that is built and destroyed each time.
// LOOPS: 4
// BY-THREAD: yes
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
//--- exceptions.cpp
// Exceptions that are caught inside of the iteration: the loop's body has landing pads.
// LOOPS: 3
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
//--- lambdas.cpp
// Loops inside lambdas, lambdas as bodies, and a loop variable that a lambda captures.
// LOOPS: 4
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
//--- range_for.cpp
// Range-based for, iterators and pointers: the compiler counts them in 64 bits.
// LOOPS: 5
// NO-USER: 0 1 2 3 4
#include <vector>

int main() {
  std::vector<long> data(37);
  for (size_t i = 0; i < data.size(); i++) data[i] = static_cast<long>(i) * 11;
  long *first = data.data(), n = static_cast<long>(data.size());
#pragma omp parallel for schedule(static, 4)
  for (long &x : data) STEP(0, &x - first, n, x);
#pragma omp parallel for schedule(static, 4)
  for (auto it = data.begin(); it < data.end(); ++it) STEP(1, it - data.begin(), n, *it);
#pragma omp parallel for schedule(static, 4)
  for (auto it = data.begin(); it != data.end(); ++it) STEP(2, it - data.begin(), n, *it);
#pragma omp parallel for
  for (long *p = first + n - 1; p >= first; p -= 2) STEP(3, (first + n - 1 - p) / 2, (n + 1) / 2, *p);
#pragma omp parallel for collapse(2) schedule(static, 5)
  for (long &x : data)
    for (int j = 0; j < 3; j++) STEP(4, (&x - first) * 3 + j, n * 3, x + j);
  for (int loop = 0; loop < 5; loop++) report(loop);
}
//--- roots.cpp
// Several root threads, each with teams of its own, at the same time.
// LOOPS: 2
// THREADS: 1 2 3
// FLAGS: -pthread
#include <thread>
#include <vector>

static int chunked, unchunked;

static void root() {
  for (int n = 0; n < 30; n += 7) {
#pragma omp parallel for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      TELL(0, i, n);
#pragma omp atomic
      chunked++;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      TELL(1, i, n);
#pragma omp atomic
      unchunked++;
    }
  }
}

int main() {
  std::vector<std::thread> roots;
  for (int i = 0; i < 3; i++) roots.emplace_back(root);
  for (auto &thread : roots) thread.join();
  root();
  printf("loop 0: %d runs\nloop 1: %d runs\n", chunked, unchunked);
}
//--- sections_throw.cpp
// An exception that is caught in its section, a section that is left by goto within it, and sections in a template and a lambda.
// LOOPS: 3
// NO-USER: 0 1 2
template <int first> static int twice(int of) {
  int sum = 0;
#pragma omp parallel sections reduction(+ : sum)
  {
#pragma omp section
    {
      STEP(first, 0, 3, of);
      try {
        if (of > 1) throw of;
        sum += 1;
      } catch (int thrown) {
        sum += 10 * thrown;
      }
    }
#pragma omp section
    {
      STEP(first, 1, 3, of);
      if (of > 2) goto over;
      sum += 100;
    over:
      sum += 1000;
    }
#pragma omp section
    STEP(first, 2, 3, of);
  }
  return sum;
}

int main() {
  for (int of = 0; of < 4; of++) printf("%d %d\n", twice<0>(of), twice<1>(of));
  auto lambda = [](int of) {
    int sum = 0;
#pragma omp parallel sections lastprivate(sum)
    {
#pragma omp section
      STEP(2, 0, 2, of);
#pragma omp section
      {
        STEP(2, 1, 2, of);
        sum = of;
      }
    }
    return sum;
  };
  printf("%d\n", lambda(5));
  report(0);
  report(1);
  report(2);
  return 0;
}
//--- templates.cpp
// Loops in templates: one loop in the source, one record per instantiation.
// LOOPS: 7
// USER: 0 1 2 3 4 5 6
template <class T> void chunked(int loop, T n) {
#pragma omp parallel for schedule(static, 4)
  for (T i = 0; i < n; i++) STEP(loop, i, n, i);
}

template <class T, int Chunk> struct Worker {
  T n;
  void run(int loop) {
#pragma omp parallel for schedule(static, Chunk)
    for (T i = 0; i < n; ++i) STEP(loop, i, n, i);
  }
};

int main() {
  for (int n = 0; n < 30; n += 14) {
    chunked<int>(0, n);
    chunked<unsigned>(1, n);
    chunked<long>(2, n);
    chunked<unsigned long>(3, n);
    Worker<int, 1>{n}.run(4);
    Worker<int, 7>{n}.run(5);
    Worker<long, 1>{n}.run(6);
    for (int loop = 0; loop < 7; loop++) report(loop);
  }
}
