/* edit_distance - how many letters must change to make one word of a list into another.
 *
 *   edit_distance [REPETITIONS [WORDS]]
 *
 * The words are sorted by length, and a distance takes the product of two lengths: later ones cost more.
 */
#include "program.h"

enum { LONGEST = 120, MOST = 20000 };

static char word[MOST][LONGEST + 1];
static int length[MOST], distance[MOST];

static int smallest(int a, int b, int c) {
  int less = a < b ? a : b;
  return less < c ? less : c;
}

static int distance_of(const char *a, int a_length, const char *b, int b_length) {
  int row[LONGEST + 1];
  for (int j = 0; j <= b_length; j++)
    row[j] = j;
  for (int i = 1; i <= a_length; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= b_length; j++) {
      int above = row[j];
      row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[b_length];
}

static void distances(int words, int apart) {
#pragma omp parallel for schedule(static) /* ADVISE */
  for (int at = 0; at < words; at++) {
    int other = at >= apart ? at - apart : at;
    distance[at] = distance_of(word[at], length[at], word[other], length[other]);
  }
}

int main(int argc, char **argv) {
  int repetitions = 200, words = 350;
  read_arguments(argc, argv, &repetitions, &words, 1, MOST, "edit_distance [REPETITIONS [WORDS]], at most %d words");
  unsigned state = 99;
  for (int at = 0; at < words; at++) {
    length[at] = 3 + (int)((LONGEST - 3) * (long)at / words);
    for (int letter = 0; letter < length[at]; letter++) {
      state = state * 1103515245u + 12345u;
      word[at][letter] = (char)('a' + (state >> 16) % 6);
    }
  }
  long checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    distances(words, repetition % 8 + 1);
    for (int at = 0; at < words; at++)
      checksum += (long)distance[at] * (at % 17 + 1);
  }
  printf("%ld\n", checksum);
  return 0;
}
