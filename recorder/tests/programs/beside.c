/* beside: loops of a team, as often as the first argument says and with as many threads as the second. Then it writes a file of its own,
   at the third and with as many KiB as the fourth says: the recording is on the same file system. Where that is 0, it takes all that is
   left of that, in the middle of its loops. Prints how many chunks ran. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EACH = 1000 };
static double data[EACH];

static void run(long times, int threads) {
  for (long t = 0; t < times; t++)
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int i = 0; i < EACH; i++) data[i] += i;
}

int main(int argc, char **argv) {
  static char piece[1024] = "The program's own.\n";
  if (argc < 5) return 2;
  long half = atol(argv[1]) / 2;
  int threads = atoi(argv[2]), number = atoi(argv[4]);
  run(half, threads);
  int file = open(argv[3], O_CREAT | O_WRONLY, 0666);
  while (number == 0 && write(file, piece, sizeof piece) > 0) ;
  if (number == 0 && errno != ENOSPC) return 5;
  run(half, threads);
  for (int k = 0; k < number; k++)
    if (write(file, piece, sizeof piece) != sizeof piece) {
      perror("the program's own file");
      return 3;
    }
  if (fsync(file) || close(file)) return 4;
  printf("%ld\n", 2 * half * EACH);
  return 0;
}
