/* faults PAGES TIMES: a loop that touches each of so many pages, in 6 executions, so that only the first finds them untouched; and a short one,
   so many times. Two threads each. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

int main(int argc, char **argv) {
  long pages = argc > 1 ? atol(argv[1]) : 1000, times = argc > 2 ? atol(argv[2]) : 1000;
  long size = sysconf(_SC_PAGESIZE);
  /* One fault for each page, not for 2 MiB. */
  prctl(PR_SET_THP_DISABLE, 1L, 0L, 0L, 0L);
  char *memory = mmap(0, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  for (int k = 0; k < 6; k++)
#pragma omp parallel for schedule(static) num_threads(2)
    for (long i = 0; i < pages; i++) memory[i * size] = 1;
  for (long k = 0; k < times; k++)
#pragma omp parallel for schedule(static) num_threads(2)
    for (long i = 0; i < 4; i++) memory[i * size] += 1;
  return 0;
}
