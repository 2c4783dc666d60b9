/* Runs loops until it is killed, or as often as the second argument says. Each thread counts the iterations that it
 * runs in the file that the first argument names, which outlives the program. */
#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 4096, APART = 8 };

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  size_t size = MOST * APART * sizeof(long);
  if (file < 0 || ftruncate(file, size)) return 3;
  long *counts = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counts == MAP_FAILED) return 4;
  long most = atol(argv[2]);
  int threads = argc > 3 ? atoi(argv[3]) : 3;
  for (long r = 0; r < most; r++)
#pragma omp parallel num_threads(threads)
  {
    volatile long *mine = counts + omp_get_thread_num() * APART;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 1000; i++) *mine += 1;
  }
  return 0;
}
