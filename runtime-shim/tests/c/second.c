/* A shared library with instrumented code of its own. */
#include "emulate.h"

static _Thread_local unsigned current;
static void say(int lower, int upper, int is_last) { say_ran(current, lower, upper, is_last); }

void second_loop(unsigned line, int n, int chunk) {
  static ompt_chunk_loop_t loops[64];
  ompt_chunk_loop_t *loop = &loops[line];
  current = line;
  /* Each thread writes the same. */
#pragma omp critical
  *loop = (ompt_chunk_loop_t){.size = sizeof *loop,
                              .abi_version = 1,
                              .construct = ompt_chunk_for,
                              .bits = 32,
                              .flags = ompt_chunk_signed | ompt_chunk_chunked,
                              .schedule = SCHED_STATIC_CHUNKED,
                              .chunk = chunk,
                              .line = line};
  instrumented_loop(loop, n, chunk, say);
}
