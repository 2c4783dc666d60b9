// attention_dense - attention as pictures have it: each patch looks at all of them.
//
//   attention_dense [REPETITIONS [PATCHES]]
#include <cmath>
#include <cstdio>
#include <vector>
#include "program.h"

constexpr int width = 32;
using vectors = std::vector<float>; // One behind the other.

static void attend(const vectors &query, const vectors &key, const vectors &value, vectors &out, vectors &weights,
                   int patches) {
#pragma omp parallel for schedule(static) // ADVISE
  for (int patch = 0; patch < patches; patch++) {
    float *weight = &weights[static_cast<size_t>(patch) * patches];
    float sum = 0;
    for (int other = 0; other < patches; other++) {
      float product = 0;
      for (int d = 0; d < width; d++)
        product += query[patch * width + d] * key[other * width + d];
      weight[other] = std::exp(product * 0.17677669f);
      sum += weight[other];
    }
    for (int d = 0; d < width; d++)
      out[patch * width + d] = 0;
    for (int other = 0; other < patches; other++)
      for (int d = 0; d < width; d++)
        out[patch * width + d] += weight[other] / sum * value[other * width + d];
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, patches = 256;
  read_arguments(argc, argv, &repetitions, &patches, 1, 10000,
                 "attention_dense [REPETITIONS [PATCHES]], at most 10000");
  vectors query(patches * width), key(query), value(query), out(query), weights(static_cast<size_t>(patches) * patches);
  for (int at = 0; at < patches * width; at++) {
    query[at] = std::sin(0.37f * at);
    key[at] = std::cos(0.11f * at);
    value[at] = std::sin(0.05f * at + 1);
  }
  double checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    attend(query, key, value, out, weights, patches);
    for (float one : out)
      checksum += one;
    query[repetition % query.size()] += 0.25f;
  }
  std::printf("%.17g\n", checksum);
}
