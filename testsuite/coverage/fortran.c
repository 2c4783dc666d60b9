/* What the coverage cases in Fortran are linked with: main, and the calls of coverage.inc. Compiled
 * twice; with -DTHREADS_VARY for those that say so. */
#include "coverage.h"

void step_4(int loop, int index, int trip, int value);
void step_8(long loop, long index, long trip, long value);
void tell(int loop, int index, int trip);
void mark(int loop, int index, int value);

void step_4(int loop, int index, int trip, int value) { STEP(loop, index, trip, value); }
void step_8(long loop, long index, long trip, long value) { STEP(loop, index, trip, value); }
void tell(int loop, int index, int trip) { TELL(loop, index, trip); }
void mark(int loop, int index, int value) { MARK(loop, index, value); }
