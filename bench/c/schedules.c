/* Loops of fixed chunk sizes, part of the worker where -DSCHEDULES is given. -DNO_CLAUSE leaves away what they say of their
 * schedule: then OMPCHUNK_SCHEDULE says it, by the names of the functions.
 *
 *   schedule NAME THREADS ITERATIONS WARMUP TIMES          nanoseconds per execution of the loop and thread
 */

#ifdef NO_CLAUSE
#define CLAUSE(kind, size)
#else
#define CLAUSE(kind, size) schedule(kind, size)
#endif

#define SCHEDULED(body, kind, size, prepare, statement)                                            \
  NOT_INLINED AT_CACHE_LINE static void body##_##kind##_##size(int iterations, float *own) {       \
    MOVED;                                                                                         \
    prepare;                                                                                       \
    EVALUATE(omp for CLAUSE(kind, size) nowait)                                                    \
    for (int i = 0; i < iterations; i++)                                                           \
      statement;                                                                                   \
  }
#define BODIES(kind, size)                                                                         \
  SCHEDULED(flops, kind, size, (void)0, own[i] = own[i] * 0.5f + 1.0f)                             \
  SCHEDULED(delay, kind, size, (void)own; int some = spins,                                        \
            for (int spin = 0; spin < some; spin++) __asm__ volatile("" : "+r"(spin)))
#define ALL_OF(each, kind)                                                                         \
  each(kind, 1) each(kind, 4) each(kind, 16) each(kind, 64) each(kind, 256) each(kind, 1024) each(kind, 4096)

ALL_OF(BODIES, dynamic)
ALL_OF(BODIES, guided)
ALL_OF(BODIES, static)

#define NAMED(kind, size)                                                                          \
  {"flops_" #kind "_" #size, flops_##kind##_##size}, {"delay_" #kind "_" #size, delay_##kind##_##size},
static const struct {
  const char *name;
  void (*run)(int, float *);
} scheduled[] = {ALL_OF(NAMED, dynamic) ALL_OF(NAMED, guided) ALL_OF(NAMED, static)};

static void schedule(const char *name, int threads, int iterations, int warmup, int times) {
  void (*run)(int, float *) = NULL;
  for (unsigned i = 0; i < sizeof scheduled / sizeof *scheduled; i++)
    if (strcmp(scheduled[i].name, name) == 0)
      run = scheduled[i].run;
  if (!run || threads > MOST_THREADS) {
    printf("error no such batch\n");
    return;
  }
  static double took[MOST_THREADS][8]; /* a cache line each */
  atomic_int here = 0;
  int team = 0;
#pragma omp parallel num_threads(threads)
  {
    int self = omp_get_thread_num();
    if (self == 0)
      team = omp_get_num_threads();
    float *own = elements_of(self, iterations);
    begin_together(&here);
    for (int i = 0; i < warmup; i++)
      run(iterations, own);
    double start = now();
    for (int i = 0; i < times; i++)
      run(iterations, own);
    took[self][0] = now() - start;
  }
  double sum = 0;
  for (int i = 0; i < threads; i++)
    sum += took[i][0];
  if (team != threads)
    printf("error the runtime gave a team of %d\n", team);
  else
    printf("%.9g\n", sum / threads / times);
}
