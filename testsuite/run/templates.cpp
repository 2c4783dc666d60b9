// Loops in templates: one loop in the source, one record per instantiation.
//
// LOOPS: 7
// USER: 0 1 2 3 4 5 6
#include "program.h"

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
