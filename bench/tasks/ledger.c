// fault: chain
/* ledger - accounts are billed in tasks that all change one total, and depend on it from begin to end. ledger [ACCOUNTS] */
#include "program.h"

enum { STEPS = 150000 };

static uint64_t bill(uint64_t account) { return scramble(account + 1, STEPS) >> 20; }

int main(int argc, char **argv) {
  int accounts = read_size(argc, argv, 1500, 1, 100000);
  uint64_t total = 0;
#pragma omp parallel
#pragma omp single
  for (int account = 0; account < accounts; account++) {
#ifdef MENDED
#pragma omp task shared(total)
    {
      uint64_t billed = bill((uint64_t)account);
#pragma omp atomic
      total += billed;
    }
#else
#pragma omp task shared(total) depend(inout : total)
    total += bill((uint64_t)account);
#endif
  }
  uint64_t expected = 0;
#pragma omp parallel for reduction(+ : expected)
  for (int account = 0; account < accounts; account++)
    expected += bill((uint64_t)account);
  return verify(total, expected);
}
