/* What every generated program is linked with: main, the calls of its loop bodies, and the report.
 * One object for C and Fortran. The sums do not depend on the order of the iterations. */
#include "program.h"

void fuzz_main(void);

enum { MIXED = 64 };

static struct {
  uint64_t runs, values, threads;
} loops[MIXED];

static uint64_t mix(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* A number that the compiler of the program cannot know. */
long fuzz_value(long value) { return value; }

/* What the compiler cannot look into, with a thread's state. */
void fuzz_carry(unsigned long *state, unsigned long goes_on, unsigned long value) {
  *state = ((goes_on ? *state : 0) * 31 + value) % 1000003;
}

/* Only tells the oracle: what cancelled loops run depends on time. */
void fuzz_tell(unsigned loop, unsigned long index, unsigned long trip, unsigned long value) {
  if (oracle_hook) oracle_hook(loop, index, trip, &(uint64_t){value});
}

/* For loops whose chunks may run on any thread. */
void fuzz_any(unsigned loop, unsigned long index, unsigned long trip, unsigned long value) {
  fuzz_tell(loop, index, trip, value);
  __atomic_fetch_add(&loops[loop].runs, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&loops[loop].values, mix(mix(index) + value), __ATOMIC_RELAXED);
}

void fuzz_step(unsigned loop, unsigned long index, unsigned long trip, unsigned long value) {
  fuzz_any(loop, index, trip, value);
  __atomic_fetch_add(&loops[loop].threads, mix(mix(index) + (uint64_t)omp_get_thread_num()),
                     __ATOMIC_RELAXED);
}

void fuzz_print(unsigned loop, long value) { printf("result %u: %ld\n", loop, value); }

/* What the loops of programs whose bodies call nothing left behind. */
void fuzz_array(unsigned loop, const unsigned long *array, unsigned long n) {
  uint64_t sum = 0;
  for (unsigned long i = 0; i < n; i++) sum += mix(mix(i) + array[i]);
  printf("array %u: %016lx\n", loop, (unsigned long)sum);
}

int main(void) {
  /* The runtime, and with it the tool, starts even if no loop runs. */
  (void)omp_get_max_threads();
  fuzz_main();
  for (int loop = 0; loop < MIXED; loop++) {
    if (!loops[loop].runs) continue;
    /* Under another schedule, other threads run the iterations. */
    if (getenv("REPORT_VALUES")) loops[loop].threads = 0;
    printf("loop %d: %lu runs, values %016lx, threads %016lx\n", loop, (unsigned long)loops[loop].runs,
           (unsigned long)loops[loop].values, (unsigned long)loops[loop].threads);
  }
  return 0;
}
