// fft - Fourier transforms of many rows, all of one length.
//
//   fft [REPETITIONS [ROWS]]
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>
#include "program.h"

constexpr int bits = 9, length = 1 << bits;

struct number {
  double real, imaginary;
};

static number root[length / 2];

// In place: first the order of mirrored bits, then a stage of butterflies for each bit.
static void transform(number *row) {
  for (int at = 0, mirrored = 0; at < length; at++) {
    if (at < mirrored)
      std::swap(row[at], row[mirrored]);
    int bit = length >> 1;
    for (; mirrored & bit; bit >>= 1)
      mirrored ^= bit;
    mirrored |= bit;
  }
  for (int half = 1; half < length; half *= 2)
    for (int from = 0; from < length; from += 2 * half)
      for (int at = 0; at < half; at++) {
        number w = root[at * (length / 2 / half)], a = row[from + at], b = row[from + at + half];
        number turned = {b.real * w.real - b.imaginary * w.imaginary, b.real * w.imaginary + b.imaginary * w.real};
        row[from + at] = {a.real + turned.real, a.imaginary + turned.imaginary};
        row[from + at + half] = {a.real - turned.real, a.imaginary - turned.imaginary};
      }
}

static void transform_all(const std::vector<number> &from, std::vector<number> &to, int rows) {
#pragma omp parallel for schedule(static) // ADVISE
  for (int row = 0; row < rows; row++) {
    number *out = &to[static_cast<size_t>(row) * length];
    for (int at = 0; at < length; at++)
      out[at] = from[static_cast<size_t>(row) * length + at];
    transform(out);
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, rows = 500;
  read_arguments(argc, argv, &repetitions, &rows, 1, 100000, "fft [REPETITIONS [ROWS]], at most 100000");
  for (int at = 0; at < length / 2; at++) {
    double angle = -2 * 3.14159265358979323846 * at / length;
    root[at] = {std::cos(angle), std::sin(angle)};
  }
  std::vector<number> from(static_cast<size_t>(rows) * length), to(from.size());
  for (size_t at = 0; at < from.size(); at++)
    from[at] = {static_cast<double>(at % 101), static_cast<double>(at % 37)};
  double checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    transform_all(from, to, rows);
    for (size_t at = 0; at < to.size(); at += 97)
      checksum += to[at].real + to[at].imaginary;
    from[repetition % from.size()].real += 1;
  }
  std::printf("%.17g\n", checksum);
}
