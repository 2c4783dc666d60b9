// fault: cutoff
/* queens - ways to place queens on a board, a task with its own board for each queen that can be placed. queens [ROWS] */
#include <string.h>
#include "program.h"

enum { MOST = 13 };

static const uint64_t known[MOST + 1] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712};
static uint64_t solutions;

static int fits(const char *board, int row, int column) {
  for (int above = 0; above < row; above++) {
    int across = board[above] - column;
    if (across == 0 || across == row - above || across == above - row)
      return 0;
  }
  return 1;
}

#ifdef MENDED
enum { DEEPEST = 2 };

static uint64_t alone(char *board, int row, int rows) {
  uint64_t found = row == rows;
  for (int column = 0; row < rows && column < rows; column++)
    if (fits(board, row, column)) {
      board[row] = (char)column;
      found += alone(board, row + 1, rows);
    }
  return found;
}
#endif

static void place(const char *board, int row, int rows) {
#ifdef MENDED
  if (row > DEEPEST) {
    char own[MOST];
    memcpy(own, board, (size_t)row);
    uint64_t found = alone(own, row, rows);
#pragma omp atomic
    solutions += found;
    return;
  }
#endif
  if (row == rows) {
#pragma omp atomic
    solutions++;
    return;
  }
  for (int column = 0; column < rows; column++)
    if (fits(board, row, column)) {
#pragma omp task
      {
        char own[MOST];
        memcpy(own, board, (size_t)row);
        own[row] = (char)column;
        place(own, row + 1, rows);
      }
    }
    /* The board lives until all that look at it are done. */
#pragma omp taskwait
}

int main(int argc, char **argv) {
  int rows = read_size(argc, argv, 11, 1, MOST);
  char board[MOST] = {0};
#pragma omp parallel
#pragma omp single
  place(board, 0, rows);
  return verify(solutions, known[rows]);
}
