/* Two instrumented loops and one that is none, on a runtime of one thread. */
#include "emulate.h"

static const ompt_chunk_loop_t *here;
static void say(int lower, int upper, int is_last) { say_ran(here->line, lower, upper, is_last); }

int main(void) {
  static ompt_chunk_loop_t loops[2];
  for (unsigned k = 0; k < 2; k++) {
    here = &loops[k];
    loops[k] = (ompt_chunk_loop_t){.size = sizeof loops[k],
                                   .abi_version = ABI_VERSION,
                                   .construct = ompt_chunk_for,
                                   .bits = 32,
                                   .flags = ompt_chunk_signed | ompt_chunk_chunked,
                                   .schedule = k ? SCHED_STATIC : SCHED_STATIC_CHUNKED,
                                   .chunk = 10,
                                   .line = k + 1};
    instrumented_loop(&loops[k], 25, 10, say);
  }
  ident where = {0, 0x202, 0, 0, ";serial;loop;1;1;;"};
  int last = 0, lower = 0, upper = 6, stride = 1;
  __kmpc_for_static_init_4(&where, 0, SCHED_STATIC, &last, &lower, &upper, &stride, 1, 1);
  __kmpc_for_static_fini(&where, 0);
  printf("done\n");
  return 0;
}
