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
