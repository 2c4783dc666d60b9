/* What the programs of the run tests share: the call that tells the oracle of an iteration, and a
 * report of who ran what, so that two builds of a program can be compared by their output.
 *
 * Self-contained on purpose: Debian's clang 19 has no omp.h of its own. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
void omp_set_num_threads(int);
void omp_set_nested(int);
void omp_set_max_active_levels(int);
int omp_get_level(void);

/* Set by the oracle when it is the tool, else null. One per process: every image defines it weakly,
 * and the executable exports its own. */
__attribute__((weak, visibility("default"))) void (*oracle_hook)(unsigned loop, unsigned long index,
                                                                 unsigned long trip,
                                                                 const uint64_t *value);

#ifdef __cplusplus
}
#endif

enum { LOOPS = 32, MOST = 4096 };

/* Per loop and logical iteration: how often it ran, on which thread, with which user value. */
static int runs_of[LOOPS][MOST];
static int thread_of[LOOPS][MOST];
static uint64_t value_of[LOOPS][MOST];

/* Asks for the thread's number by an address: a loop that asks by name stays as it is under `*`. */
static int (*who_runs)(void);
__attribute__((constructor)) static void find_who_runs(void) {
  who_runs = (int (*)(void))dlsym(0, "omp_get_thread_num");
}

/* First statement of every loop body: logical iteration `index` of the `trip` iterations of loop
 * `loop`, whose user variable is `value`. */
#define STEP(loop, index, trip, value)                                                             \
  step_((loop), (unsigned long)(index), (unsigned long)(trip), (uint64_t)(value))

static inline void step_(unsigned loop, unsigned long index, unsigned long trip, uint64_t value) {
  if (oracle_hook) oracle_hook(loop, index, trip, &value);
  if (index >= MOST) abort();
  runs_of[loop][index]++;
  thread_of[loop][index] = who_runs();
  value_of[loop][index] = value;
}

/* Only tells the oracle: for loops of which several teams run at the same time. */
#define TELL(loop, index, trip)                                                                    \
  (oracle_hook ? oracle_hook((loop), (unsigned long)(index), (unsigned long)(trip), NULL) : (void)0)

/* Prints what loop `loop` did since the last report, and forgets it. Call it outside the team. Which
 * thread ran what is part of it if the schedule determines that, and REPORT_VALUES is not set, as it is
 * where the schedule is another than the one in the source. */
#define report(loop) report_((loop), 1)
#define report_values(loop) report_((loop), 0)

static inline void report_(unsigned loop, int threads) {
  if (getenv("REPORT_VALUES")) threads = 0;
  uint64_t hash = 1469598103934665603u;
  unsigned long runs = 0, twice = 0;
  for (int i = 0; i < MOST; i++) {
    if (!runs_of[loop][i]) continue;
    runs += (unsigned long)runs_of[loop][i];
    twice += runs_of[loop][i] > 1;
    uint64_t thread = threads ? (uint64_t)thread_of[loop][i] : 0;
    uint64_t words[] = {(uint64_t)i, thread, value_of[loop][i]};
    for (int w = 0; w < 3; w++) hash = (hash ^ words[w]) * 1099511628211u;
    runs_of[loop][i] = 0;
  }
  printf("loop %u: %lu runs, %lu iterations more than once, %016lx\n", loop, runs, twice,
         (unsigned long)hash);
}

#endif
