// buckets - sorts the lists of a hash table whose keys are not spread well.
//
//   buckets [REPETITIONS [KEYS]]
//
// Sizes of the lists follow Zipf's law in an order of their own: one list alone has a tenth of all keys.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#include "program.h"

constexpr int lists = 256;

static void sort_all(const std::vector<std::vector<uint32_t>> &unsorted, std::vector<std::vector<uint32_t>> &sorted) {
#pragma omp parallel for schedule(static) // ADVISE
  for (int list = 0; list < lists; list++) {
    std::copy(unsorted[list].begin(), unsorted[list].end(), sorted[list].begin());
    std::sort(sorted[list].begin(), sorted[list].end());
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, keys = 60000;
  read_arguments(argc, argv, &repetitions, &keys, lists, 100000000,
                 "buckets [REPETITIONS [KEYS]], %2$d to 100000000 keys");
  std::vector<std::vector<uint32_t>> unsorted(lists), sorted(lists);
  uint32_t state = 3;
  for (int list = 0; list < lists; list++) {
    // 37 and 256 have no common divisor: each rank once.
    int rank = list * 37 % lists;
    int size = static_cast<int>(keys / 10.0 / (rank / 2.0 + 1));
    for (int key = 0; key < size; key++) {
      state = state * 1664525u + 1013904223u;
      unsorted[list].push_back(state >> 4);
    }
    sorted[list].resize(unsorted[list].size());
  }
  uint64_t checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    sort_all(unsorted, sorted);
    for (int list = 0; list < lists; list++)
      for (size_t at = 0; at < sorted[list].size(); at += 16)
        checksum += sorted[list][at] * (at + 1);
    for (auto &list : unsorted)
      if (!list.empty())
        list[repetition % list.size()] ^= 0xfffff;
  }
  std::printf("%llu\n", static_cast<unsigned long long>(checksum));
}
