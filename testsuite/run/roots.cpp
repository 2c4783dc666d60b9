// Several root threads, each with teams of its own, at the same time.
//
// LOOPS: 2
// THREADS: 1 2 3
// FLAGS: -pthread
#include "program.h"
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
