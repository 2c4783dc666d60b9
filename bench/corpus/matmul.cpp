// matmul - the product of two matrices, a block of rows at a time.
//
//   matmul [REPETITIONS [ORDER]]
#include <cstdio>
#include <vector>
#include "program.h"

constexpr int block = 4; // Rows.

static void multiply(const std::vector<double> &a, const std::vector<double> &b, std::vector<double> &c, int order) {
#pragma omp parallel for schedule(static) // ADVISE
  for (int above = 0; above < order; above += block)
    for (int row = above; row < above + block && row < order; row++) {
      double *out = &c[static_cast<size_t>(row) * order];
      for (int column = 0; column < order; column++)
        out[column] = 0;
      for (int k = 0; k < order; k++) {
        double factor = a[static_cast<size_t>(row) * order + k];
        const double *in = &b[static_cast<size_t>(k) * order];
        for (int column = 0; column < order; column++)
          out[column] += factor * in[column];
      }
    }
}

int main(int argc, char **argv) {
  int repetitions = 200, order = 240;
  read_arguments(argc, argv, &repetitions, &order, 1, 10000, "matmul [REPETITIONS [ORDER]], at most 10000");
  size_t size = static_cast<size_t>(order) * order;
  std::vector<double> a(size), b(size), c(size);
  for (size_t at = 0; at < size; at++) {
    a[at] = static_cast<double>(at % 13) / order;
    b[at] = static_cast<double>(at % 29) / 29;
  }
  double checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    multiply(a, b, c, order);
    for (double one : c)
      checksum += one;
    a[repetition % size] += 0.5;
  }
  std::printf("%.17g\n", checksum);
}
