// The loop construct and loop transformations around a worksharing loop.
//
// LOOPS: 4
// BY-THREAD: yes
// OLDEST: 18
// FLAGS: -fopenmp-version=51
#include "program.h"

int main(void) {
  int n = 43;
#pragma omp parallel loop
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel
#pragma omp loop bind(parallel)
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
  // Of tiles and unrolled groups the first iteration stands for the whole.
#pragma omp parallel for schedule(static, 2)
#pragma omp tile sizes(8)
  for (int i = 0; i < n; i++) {
    if (i % 8 == 0) TELL(2, i / 8, (n + 7) / 8);
    value_of[2][i] = (uint64_t)i, runs_of[2][i]++, thread_of[2][i] = omp_get_thread_num();
  }
#pragma omp parallel for schedule(static, 2)
#pragma omp unroll partial(4)
  for (int i = 0; i < n; i++) {
    if (i % 4 == 0) TELL(3, i / 4, (n + 3) / 4);
    value_of[3][i] = (uint64_t)i, runs_of[3][i]++, thread_of[3][i] = omp_get_thread_num();
  }
  report(0), report(1);
  long sum = 0;
  for (int i = 0; i < n; i++) sum += (long)value_of[2][i] * 3 + (long)value_of[3][i] + thread_of[2][i];
  printf("loop 2: %d runs\nloop 3: %d runs\nsum %ld\n", (n + 7) / 8, (n + 3) / 4, sum);
  return 0;
}
