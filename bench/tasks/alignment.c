// fault: none
/* alignment - the longest common subsequence of two texts, in blocks whose tasks depend on the blocks above and to the left.
   alignment [BLOCKS] */
#include <string.h>
#include "program.h"

enum { SIDE = 400, MOST = 100 };

static unsigned char *one, *two;
static char done[MOST + 1][MOST + 1];
static int *row_ends, *column_ends, *corners;

/* Lengths along the lower and the right edge of a block, from those above it and left of it. */
static void block(int y, int x) {
  int above[SIDE + 1], here[SIDE + 1], *top = row_ends + x * SIDE, *left = column_ends + y * SIDE;
  above[0] = corners[y * (MOST + 1) + x];
  memcpy(above + 1, top, SIDE * sizeof *top);
  corners[(y + 1) * (MOST + 1) + x] = left[SIDE - 1];
  for (int i = 0; i < SIDE; i++) {
    here[0] = left[i];
    for (int j = 0; j < SIDE; j++) {
      int longer = above[j + 1] > here[j] ? above[j + 1] : here[j];
      here[j + 1] = one[y * SIDE + i] == two[x * SIDE + j] ? above[j] + 1 : longer;
    }
    left[i] = here[SIDE];
    memcpy(above, here, sizeof here);
  }
  memcpy(top, here + 1, SIDE * sizeof *top);
  corners[(y + 1) * (MOST + 1) + x + 1] = here[SIDE];
}

int main(int argc, char **argv) {
  int blocks = read_size(argc, argv, 60, 1, MOST), length = blocks * SIDE;
  one = reserve((size_t)length), two = reserve((size_t)length);
  row_ends = calloc((size_t)length, sizeof *row_ends), column_ends = calloc((size_t)length, sizeof *column_ends);
  corners = calloc((MOST + 1) * (MOST + 1), sizeof *corners);
  if (row_ends == NULL || column_ends == NULL || corners == NULL)
    return 2;
  /* The second text is the first one with other letters in between, in the same order: all of the shorter alphabet is common. */
  for (int at = 0; at < length; at++) {
    one[at] = at % 2 ? (unsigned char)(scramble((uint64_t)at / 2 + 1, 4) % 20) : 100;
    two[at] = at % 2 ? (unsigned char)(scramble((uint64_t)at / 2 + 1, 4) % 20) : 200;
  }
#pragma omp parallel
#pragma omp single
  for (int y = 0; y < blocks; y++)
    for (int x = 0; x < blocks; x++) {
#pragma omp task depend(in : done[y][x + 1], done[y + 1][x]) depend(out : done[y + 1][x + 1])
      block(y, x);
    }
  uint64_t found = (uint64_t)row_ends[length - 1];
  free(one), free(two), free(row_ends), free(column_ends), free(corners);
  return verify(found, (uint64_t)length / 2);
}
