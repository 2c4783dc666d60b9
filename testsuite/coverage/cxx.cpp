//--- classes.cpp
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
//--- dealt_exceptions.cpp
// SHAPE: exceptions thrown and caught in the body, where the runtime deals the chunks
// DEALT: 0
#define THREADS_VARY
#include "coverage.h"

struct Local {
  int value;
  explicit Local(int v) : value(v) {}
  ~Local() { value = 0; }
};

void loops(int n) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; i++) {
    Local local(i);
    try {
      if (i % 3 == 0) throw i;
      STEP(0, i, n, i + local.value);
    } catch (int e) {
      STEP(0, i, n, e * 2);
    }
  }
}
//--- exceptions.cpp
// SHAPE: exceptions thrown and caught in the body
// INSTRUMENTED: 2
#include "coverage.h"

struct Local {
  int value;
  explicit Local(int v) : value(v) {}
  ~Local() { value = 0; }
};

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) {
    Local local(i);
    try {
      if (i % 3 == 0) throw i;
      STEP(0, i, n, i + local.value);
    } catch (int e) {
      STEP(0, i, n, e * 2);
    }
  }
#pragma omp for
  for (int i = 0; i < n; i++) {
    Local local(i);
    try {
      if (i % 3 == 0) throw i;
      STEP(1, i, n, i + local.value);
    } catch (int e) {
      STEP(1, i, n, e * 2);
    }
  }
  }
}
//--- iterators.cpp
// SHAPE: random-access iterators, of `std::vector` and of the user
// INSTRUMENTED: 3
#include "coverage.h"
#include <vector>

struct Counter {
  long at;
  explicit Counter(long a) : at(a) {}
  Counter &operator+=(long by) { return at += by, *this; }
  Counter &operator-=(long by) { return at -= by, *this; }
  Counter operator+(long by) const { return Counter(at + by); }
  Counter operator-(long by) const { return Counter(at - by); }
  long operator-(const Counter &other) const { return at - other.at; }
  bool operator>(const Counter &other) const { return at > other.at; }
};

void loops(int n) {
  std::vector<int> data(static_cast<size_t>(n));
#pragma omp parallel for schedule(static, 4)
  for (auto it = data.begin(); it < data.end(); ++it) STEP(0, it - data.begin(), n, 1);
#pragma omp parallel for
  for (auto it = data.begin(); it != data.end(); ++it) STEP(1, it - data.begin(), n, 1);
#pragma omp parallel for schedule(static, 4)
  for (Counter it = Counter(n); it > Counter(0); it -= 1) STEP(2, n - it.at, n, it.at);
}
//--- lambdas.cpp
// SHAPE: in a lambda, and in a member function
// INSTRUMENTED: 2
#include "coverage.h"

struct Member {
  int by;
  void run(int n) {
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(1, i, n, i + by);
  }
};

void loops(int n) {
  auto run = [&](int by) {
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++) STEP(0, i, n, i + by);
  };
  run(3);
  Member{5}.run(n);
}
//--- pointers.cpp
// SHAPE: a pointer as loop variable
// INSTRUMENTED: 2
#include "coverage.h"
#include <vector>

void loops(int n) {
  std::vector<int> data(static_cast<size_t>(n) + 1);
  int *first = data.data();
#pragma omp parallel for schedule(static, 4)
  for (int *p = first; p < first + n; p++) STEP(0, p - first, n, *p);
#pragma omp parallel for
  for (int *p = first + n; p > first; p -= 1) STEP(1, first + n - p, n, *p);
}
//--- range_for.cpp
// SHAPE: range-based `for`
// INSTRUMENTED: 2
#include "coverage.h"
#include <vector>

void loops(int n) {
  std::vector<long> data(static_cast<size_t>(n));
#pragma omp parallel for schedule(static, 10)
  for (long &x : data) STEP(0, &x - data.data(), n, x);
#pragma omp parallel for
  for (long &x : data) STEP(1, &x - data.data(), n, x);
}
//--- templates.cpp
// SHAPE: a template, instantiated twice
// INSTRUMENTED: 2
#include "coverage.h"

template <class T, unsigned Loop> static void each(T n) {
#pragma omp parallel for schedule(static, 10)
  for (T i = 0; i < n; i++) STEP(Loop, i, n, i);
}

void loops(int n) {
  each<int, 0>(n);
  each<unsigned long, 1>(static_cast<unsigned long>(n));
}
