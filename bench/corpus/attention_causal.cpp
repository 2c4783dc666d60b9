// attention_causal - attention as language models have it: a word looks at itself and those before it.
//
//   attention_causal [REPETITIONS [WORDS]]
//
// The later a word, the more there is to look at.
#include <cmath>
#include <cstdio>
#include <vector>
#include "program.h"

constexpr int width = 32;
using vectors = std::vector<float>; // One behind the other.

static void attend(const vectors &query, const vectors &key, const vectors &value, vectors &out, vectors &weights,
                   int words) {
#pragma omp parallel for // ADVISE
  for (int word = 0; word < words; word++) {
    float *weight = &weights[static_cast<size_t>(word) * words];
    float largest = -1e30f, sum = 0;
    for (int other = 0; other <= word; other++) {
      float product = 0;
      for (int d = 0; d < width; d++)
        product += query[word * width + d] * key[other * width + d];
      weight[other] = product * 0.17677669f;
      largest = weight[other] > largest ? weight[other] : largest;
    }
    for (int other = 0; other <= word; other++) {
      weight[other] = std::exp(weight[other] - largest);
      sum += weight[other];
    }
    for (int d = 0; d < width; d++)
      out[word * width + d] = 0;
    for (int other = 0; other <= word; other++)
      for (int d = 0; d < width; d++)
        out[word * width + d] += weight[other] / sum * value[other * width + d];
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, words = 384;
  read_arguments(argc, argv, &repetitions, &words, 1, 10000,
                 "attention_causal [REPETITIONS [WORDS]], at most 10000 words");
  vectors query(words * width), key(query), value(query), out(query), weights(static_cast<size_t>(words) * words);
  for (int at = 0; at < words * width; at++) {
    query[at] = std::sin(0.37f * at);
    key[at] = std::cos(0.11f * at);
    value[at] = std::sin(0.05f * at + 1);
  }
  double checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    attend(query, key, value, out, weights, words);
    for (float one : out)
      checksum += one;
    query[repetition % query.size()] += 0.25f;
  }
  std::printf("%.17g\n", checksum);
}
