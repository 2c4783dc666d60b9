// components - the connected components of a graph: each vertex takes the smallest label of its neighbours until none changes.
//
//   components [REPETITIONS [VERTICES]]
//
// Few vertices have most of the edges, and they come first, as in networks whose vertices are numbered by age.
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>
#include "program.h"

struct graph {
  std::vector<long> first; // of each vertex's neighbours, and the end
  std::vector<int> neighbour;
};

// Each vertex but the first few is tied to some that are older, old ones above all.
static graph grown(int vertices) {
  std::vector<std::pair<int, int>> edges;
  unsigned long long state = 7;
  for (int vertex = 1; vertex < vertices; vertex++) {
    if (vertex % 1000 == 0)
      continue; // Begins a component.
    for (int edge = 0; edge < 12; edge++) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      double share = (state >> 40) / double(1 << 24);
      int older = static_cast<int>(share * share * share * share * vertex);
      edges.emplace_back(vertex, older);
      edges.emplace_back(older, vertex);
    }
  }
  std::sort(edges.begin(), edges.end());
  graph made{std::vector<long>(vertices + 1), {}};
  for (auto [from, to] : edges) {
    made.first[from + 1]++;
    made.neighbour.push_back(to);
  }
  for (int vertex = 0; vertex < vertices; vertex++)
    made.first[vertex + 1] += made.first[vertex];
  return made;
}

static void sweep(const graph &of, const std::vector<int> &label, std::vector<int> &next) {
  int vertices = static_cast<int>(label.size());
#pragma omp parallel for schedule(static) // ADVISE
  for (int vertex = 0; vertex < vertices; vertex++) {
    int smallest = label[vertex];
    for (long at = of.first[vertex]; at < of.first[vertex + 1]; at++)
      smallest = std::min(smallest, label[of.neighbour[at]]);
    next[vertex] = smallest;
  }
}

int main(int argc, char **argv) {
  int repetitions = 50, vertices = 40000;
  read_arguments(argc, argv, &repetitions, &vertices, 2, 10000000,
                 "components [REPETITIONS [VERTICES]], 2 to 10000000 vertices");
  graph of = grown(vertices);
  std::vector<int> label(vertices), next(vertices);
  long checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    for (int vertex = 0; vertex < vertices; vertex++)
      label[vertex] = (vertex * 7 + repetition) % vertices;
    for (int sweeps = 0; sweeps < 4; sweeps++) {
      sweep(of, label, next);
      std::swap(label, next);
    }
    for (int vertex = 0; vertex < vertices; vertex++)
      checksum += static_cast<long>(label[vertex]) * (vertex % 13 + 1);
  }
  std::printf("%ld\n", checksum);
}
