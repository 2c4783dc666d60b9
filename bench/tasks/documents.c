// fault: long-task
/* documents - words of many documents are counted, a task for each document; one of them is longer than all others together, and
   stands near the end. documents [DOCUMENTS] */
#include "program.h"

enum { SHORT = 200000, LONG = 160000000, CHAPTER = 10000000, WORDS = 1 << 12 };

static long length_of(int document, int documents) { return document == documents - 3 ? LONG : SHORT + 400L * document; }

/* Counts the words of a chapter, whose letters are made as it is read. */
static void count(int document, long from, long letters, uint32_t *counts) {
  long end = letters - from < CHAPTER ? letters : from + CHAPTER;
  uint64_t state = (uint64_t)document * 0x9e3779b97f4a7c15u + (uint64_t)from + 1;
  for (uint32_t word = 0; from < end; from++) {
    state = scramble(state, 1);
    unsigned letter = (unsigned)(state >> 59);
    word = letter < 5 ? 0 : word * 31 + letter;
    counts[word % WORDS]++;
  }
}

/* How often the most frequent word is there. */
static uint64_t most_frequent(int document, long letters) {
  uint32_t counts[WORDS] = {0}, most = 0;
  for (long chapter = 0; chapter < letters; chapter += CHAPTER) {
#ifdef MENDED
#pragma omp task shared(counts) if (letters > CHAPTER)
    {
      uint32_t own[WORDS] = {0};
      count(document, chapter, letters, own);
      for (int at = 0; at < WORDS; at++)
#pragma omp atomic
        counts[at] += own[at];
    }
#else
    count(document, chapter, letters, counts);
#endif
  }
#ifdef MENDED
#pragma omp taskwait
#endif
  for (int at = 0; at < WORDS; at++)
    most = counts[at] > most ? counts[at] : most;
  return most;
}

int main(int argc, char **argv) {
  int documents = read_size(argc, argv, 300, 3, 100000);
  uint64_t *most = reserve((size_t)documents * sizeof *most);
#pragma omp parallel
#pragma omp single
  for (int document = 0; document < documents; document++) {
#pragma omp task
    most[document] = most_frequent(document, length_of(document, documents));
  }
  uint64_t found = 0, expected = 0;
  for (int document = 0; document < documents; document += 10)
    if (length_of(document, documents) < LONG)
      found += most[document], expected += most_frequent(document, length_of(document, documents));
  free(most);
  return verify(found, expected);
}
