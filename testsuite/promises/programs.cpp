//--- carried.cpp
// What an iteration leaves for its thread's next one, in C++.

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>
void ext(long &);
long pure(long);
struct Rng {
  unsigned s;
  Rng(unsigned x) : s(x) {}
  unsigned next() {
    s = s * 1103515245u + 12345u;
    return s;
  }
  unsigned peek() const { return s; }
};
struct Ext {
  int x;
  Ext();
  Ext(const Ext &);
  ~Ext();
  int next();
  int peek() const;
};
void draws_random_numbers(int n, long *o) {
  Rng r(1);
#pragma omp parallel for schedule(static) firstprivate(r) /* bound own_memory */
  for (int i = 0; i < n; i++) o[i] = r.next();
}
void peeks(int n, long *o) {
  Rng r(1);
#pragma omp parallel for schedule(static) firstprivate(r) /* free */
  for (int i = 0; i < n; i++) o[i] = r.peek() * i;
}
void calls_a_foreign_class(int n, long *o) {
  Ext r;
#pragma omp parallel for schedule(static) firstprivate(r) /* bound own_memory */
  for (int i = 0; i < n; i++) o[i] = r.next();
}
void captures_by_reference(int n, long *o) {
  long acc = 0;
#pragma omp parallel for schedule(static) firstprivate(acc) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    auto f = [&](long x) { acc += x; };
    f(i);
    o[i] = acc;
  }
}
void passes_a_reference(int n, long *o) {
  long acc = 0;
#pragma omp parallel for schedule(static) firstprivate(acc) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    long &r = acc;
    ext(r);
    o[i] = acc;
  }
}
void keeps_an_engine(int n, long *o) {
#pragma omp parallel
  {
    std::mt19937 g(1);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) o[i] = g();
  }
}
void keeps_a_container(int n, long *o) {
#pragma omp parallel
  {
    std::vector<long> t(8);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      t[i % 8] += i;
      o[i] = t[(i + 1) % 8];
    }
  }
}
void steps_an_iterator(int n, std::vector<long> &o) {
#pragma omp parallel for schedule(static) /* free */
  for (auto it = o.begin(); it < o.end(); ++it) *it = pure(*it);
}
void swaps(int n, long *o) {
  long a = 0, b = 1;
#pragma omp parallel for schedule(static) firstprivate(a, b) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    std::swap(a, b);
    o[i] = a;
  }
}
void grows_a_string(int n, long *o) {
  std::string s;
#pragma omp parallel for schedule(static) firstprivate(s) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    s += 'x';
    o[i] = s.size();
  }
}
void passes_temporaries(int n, double *o) {
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) {
    double m = std::max(o[i], 1.0);
    o[i] = std::sqrt(std::min(m, 5.0));
  }
}
void catches(int n, long *o) {
  std::function<long(long)> f = pure;
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) {
    try {
      o[i] = f(i);
    } catch (...) {
      o[i] = 0;
    }
  }
}
template <class F> void forall(int n, F f) {
#pragma omp parallel for schedule(static) firstprivate(f) /* free */
  for (int i = 0; i < n; i++) f(i);
}
void calls_a_lambda(int n, long *o) {
  forall(n, [=](int i) { o[i] = pure(i); });
}
template <class F> void forall2(int n, F f) {
#pragma omp parallel for schedule(static) firstprivate(f) /* bound own_memory */
  for (int i = 0; i < n; i++) f(i);
}
void calls_a_lambda_that_changes(int n, long *o) {
  long s = 0;
  forall2(n, [=](int i) mutable {
    s += i;
    o[i] = s;
  });
}
struct P {
  double x, y, z;
};
P mk(double);
double norm(const P &);
P add(const P &, const P &);
void returns_structures(int n, double *o) {
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) {
    P p = mk(i);
    P q = add(p, mk(2));
    o[i] = norm(q);
  }
}

struct Curve {
  long state;
  void evalD2();
};
void calls_what_is_named_like_a_destructor(int n, long *o) {
  Curve curve = {0};
#pragma omp parallel for schedule(static) firstprivate(curve) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    curve.evalD2();
    o[i] = curve.state;
  }
}
//--- filled.cpp
// Arrays of a thread's own that each iteration fills before it reads them, in C++.

#include <algorithm>
#include <array>
#include <vector>
double f(int);
void fills_an_array(int n, double *o) {
  std::array<double, 64> w;
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) w[j] = i + j;
    o[i] = w[i & 63];
  }
}
void fills_it_by_its_size(int n, double *o) {
  std::array<double, 64> w;
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (std::size_t j = 0; j < w.size(); j++) w[j] = f(j);
    o[i] = w[i & 63];
  }
}
void fills_it_by_reference(int n, double *o) {
  std::array<double, 64> w;
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (double &e : w) e = i;
    o[i] = w[i & 63];
  }
}
void fills_half_of_it(int n, double *o) {
  std::array<double, 64> w;
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (std::size_t j = 0; j < w.size() / 2; j++) w[j] = i + j;
    o[i] = w[i & 63];
  }
}
void throws_between(int n, double *o) {
  std::array<double, 64> w;
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    try {
      for (int j = 0; j < 64; j++) w[j] = f(j);
    } catch (...) {
    }
    o[i] = w[i & 63];
  }
}
void throws_and_does_not_read(int n, double *o) {
  std::array<double, 64> w;
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    try {
      for (int j = 0; j < 64; j++) w[j] = f(j);
      o[i] = w[i & 63];
    } catch (...) {
      o[i] = 0;
    }
  }
}
void keeps_a_vector(int n, double *o) {
#pragma omp parallel
  {
    std::vector<double> w(64);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      w[i & 63] += i;
      o[i] = w[(i + 1) & 63];
    }
  }
}
struct Window {
  double values[16];
  int first;
};
void fills_a_member(int n, double *o) {
  Window w;
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    w.first = i;
    for (int j = 0; j < 16; j++) w.values[j] = i + j;
    o[i] = w.values[w.first & 15];
  }
}
void forgets_the_other_member(int n, double *o) {
  Window w;
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 16; j++) w.values[j] = i + j;
    o[i] = w.values[w.first & 15];
    w.first = i;
  }
}
