// As many chunks, and then as many executions of a loop with one chunk per thread, as the arguments say. Each calls a function that
// does nothing: what a thread does between two calls of one is what a chunk takes, or an execution.

#include <stdlib.h>

#define NOT_INLINED __attribute__((noinline))

void mark_chunk(int i);
NOT_INLINED void mark_chunk(int i) { __asm__ volatile("" : : "r"(i)); }
void mark_execution(int i);
NOT_INLINED void mark_execution(int i) { __asm__ volatile("" : : "r"(i)); }

void run_chunks(int threads, int chunks);
NOT_INLINED void run_chunks(int threads, int chunks) {
#pragma omp for schedule(static, 1) nowait
  for (int i = 0; i < threads * chunks; i++) mark_chunk(i);
}

void run_executions(int threads, int executions);
NOT_INLINED void run_executions(int threads, int executions) {
  for (int execution = 0; execution < executions; execution++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < threads; i++) mark_execution(i);
  }
}

int main(int argc, char **argv) {
  int threads = argc > 3 ? atoi(argv[1]) : 0;
#pragma omp parallel num_threads(threads)
  {
    run_chunks(threads, atoi(argv[2]));
    run_executions(threads, atoi(argv[3]));
  }
  return 0;
}
