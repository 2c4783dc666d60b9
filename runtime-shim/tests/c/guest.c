/* A shared library that is opened while a program runs: a parallel region with an instrumented loop, on the
 * runtime that the library is bound to. */
#include "emulate.h"

static _Thread_local unsigned current;
static void say(int lower, int upper, int is_last) { say_ran(current, lower, upper, is_last); }

void guest_loop(unsigned line, int n, int chunk, int threads) {
  static ompt_chunk_loop_t loops[64];
  ompt_chunk_loop_t *loop = &loops[line];
  *loop = (ompt_chunk_loop_t){.size = sizeof *loop,
                              .abi_version = 1,
                              .construct = ompt_chunk_for,
                              .bits = 32,
                              .flags = ompt_chunk_signed | ompt_chunk_chunked,
                              .schedule = SCHED_STATIC_CHUNKED,
                              .chunk = chunk,
                              .line = line};
#pragma omp parallel num_threads(threads)
  {
    current = line;
    instrumented_loop(loop, n, chunk, say);
  }
}

#ifdef LOOP_IN_CONSTRUCTOR
__attribute__((constructor)) static void begin(void) { guest_loop(50, 25, 10, 3); }
#endif
