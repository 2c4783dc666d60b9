/* Runs loops named on the command line, each `kind:iterations:chunk:threads`, and prints each chunk
 * it really runs. The loop of argument k has source line k. */
#include "emulate.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void second_loop(unsigned line, int n, int chunk) __attribute__((weak));

static ompt_chunk_loop_t loops[64];
static _Thread_local const ompt_chunk_loop_t *here;

static void say(int lower, int upper, int is_last) { say_ran(here->line, lower, upper, is_last); }

static void run(const ompt_chunk_loop_t *the_loop, int n, int chunk,
                void (*body)(int, int, int)) {
  const ompt_chunk_loop_t *around = here;
  here = the_loop;
  instrumented_loop(the_loop, n, chunk, body);
  here = around;
}

/* Runs a loop of its own inside each chunk. */
static void nest(int lower, int upper, int is_last) {
  say(lower, upper, is_last);
  const ompt_chunk_loop_t *around = here;
#pragma omp parallel num_threads(1)
  run(around + 1, 3, 2, say);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  for (int k = 1; k < argc; k++) {
    char kind[32];
    int n = 0, chunk = 0, threads = 1;
    sscanf(argv[k], "%31[a-z]:%d:%d:%d", kind, &n, &chunk, &threads);
    ompt_chunk_loop_t *loop = &loops[k];
    *loop = (ompt_chunk_loop_t){.size = sizeof *loop,
                                .abi_version = 1,
                                .construct = ompt_chunk_for,
                                .bits = 32,
                                .flags = ompt_chunk_signed | ompt_chunk_chunked,
                                .schedule = SCHED_STATIC_CHUNKED,
                                .chunk = chunk,
                                .line = (uint32_t)k};
    loop[1] = *loop;
    loop[1].line = (uint32_t)k + 100;
    if (!strcmp(kind, "static")) {
#pragma omp parallel num_threads(threads)
      run(loop, n, chunk, say);
    } else if (!strcmp(kind, "orphaned")) {
      run(loop, n, chunk, say);
    } else if (!strcmp(kind, "whole")) {
      loop->schedule = SCHED_STATIC;
#pragma omp parallel num_threads(threads)
      run(loop, n, chunk, say);
    } else if (!strcmp(kind, "nested")) {
#pragma omp parallel num_threads(threads)
      run(loop, n, chunk, nest);
    } else if (!strcmp(kind, "distribute")) {
      loop->schedule = SCHED_DIST_CHUNKED;
      loop->construct = ompt_chunk_distribute;
#pragma omp teams num_teams(threads) thread_limit(1)
      run(loop, n, chunk, say);
    } else if (!strcmp(kind, "second")) {
#pragma omp parallel num_threads(threads)
      second_loop((unsigned)k, n, chunk);
    } else if (!strcmp(kind, "plain")) {
#pragma omp parallel for num_threads(threads) schedule(static, chunk)
      for (int i = 0; i < n; i++)
        if (i % chunk == 0) say_ran(0, i, i + chunk < n ? i + chunk - 1 : n - 1, 0);
    } else if (!strcmp(kind, "dynamic")) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, chunk)
      for (int i = 0; i < n; i++)
        if (i % chunk == 0) say_ran(0, i, i + chunk < n ? i + chunk - 1 : n - 1, 0);
    } else if (!strcmp(kind, "repeat")) { /* silent, many times */
      for (int times = 0; times < n; times++) {
#pragma omp parallel num_threads(threads)
        {
          void quiet(int, int, int);
          run(loop, 25, chunk, quiet);
        }
      }
    } else if (!strcmp(kind, "control")) {
      printf("control result=%d\n", omp_control_tool(n, 0, NULL));
    } else if (!strcmp(kind, "fork")) {
      fflush(stdout);
      if (fork() == 0) {
        run(loop, n, chunk, say);
        fflush(stdout);
        _exit(0);
      }
    } else if (!strcmp(kind, "state")) {
      printf("state listening=%u\n", *atomic_load(&module.state) & (LISTENING_LOOPS | LISTENING_TASKS));
    } else {
      fprintf(stderr, "unknown kind %s\n", kind);
      return 2;
    }
  }
  printf("done\n");
  return 0;
}

void quiet(int lower, int upper, int is_last) { (void)lower, (void)upper, (void)is_last; }
