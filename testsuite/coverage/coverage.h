/* What the coverage cases share: each defines loops(), and main calls it with trip counts around the
 * chunk sizes, none and one among them. Loops are numbered from 0 in each case.
 *
 * #define THREADS_VARY before, where which thread runs what is not settled by the schedule;
 * LEAST_TRIP, where stock compilers' programs die of fewer iterations. */
#ifndef COVERAGE_H
#define COVERAGE_H

#include "program.h"

#ifdef __cplusplus
extern "C"
#endif
void loops(int n);

#ifndef LEAST_TRIP
#define LEAST_TRIP 0
#endif

enum { REPORTED = 4 };

/* As STEP, for iterations that are not the compiler's logical ones; the oracle hears nothing. */
#define MARK(loop, index, value)                                                                   \
  (runs_of[loop][index]++, thread_of[loop][index] = who_runs(),                                    \
   value_of[loop][index] = (uint64_t)(value))

/* For iterations that several threads run. The oracle hears nothing. */
#define COUNT(loop, index) __atomic_fetch_add(&runs_of[loop][index], 1, __ATOMIC_RELAXED)

int main(void) {
  static const int trips[] = {0, 1, 10, 57};
  omp_get_max_threads(); // The runtime starts here, whatever the case does.
  for (unsigned trip = 0; trip < sizeof trips / sizeof *trips; trip++) {
    if (trips[trip] < LEAST_TRIP) continue;
    loops(trips[trip]);
    for (unsigned loop = 0; loop < REPORTED; loop++) {
#ifdef THREADS_VARY
      report_values(loop);
#else
      report(loop);
#endif
    }
  }
  return 0;
}

#endif
