/* The thesis' loops and tasks, part of the worker where -DTHESIS is given.
 *
 *   thesis BODY CHUNK THREADS ITERATIONS WARMUP TIMES      nanoseconds per execution of the loop and thread; of
 *                                                          BODY `task`, until CHUNK tasks are created and done
 *   events BODY CHUNK THREADS ITERATIONS                   extension events that the tool gets of one of those
 */

/* A function of its own, at the begin of a cache line: the same code at the same place in every variant. */
NOT_INLINED AT_CACHE_LINE static void wait_a_little(void) {
  int some = spins;
  for (int spin = 0; spin < some; spin++)
    __asm__ volatile("" : "+r"(spin));
}

#define WAITS(name)                                                                                \
  NOT_INLINED AT_CACHE_LINE static void name##_waits(int iterations, int chunk) {                  \
    MOVED;                                                                                         \
    EVALUATE(omp for schedule(name, chunk) nowait)                                                 \
    for (int i = 0; i < iterations; i++)                                                           \
      wait_a_little();                                                                             \
  }
WAITS(static)
WAITS(dynamic)
WAITS(guided)

NOT_INLINED AT_CACHE_LINE static void create(int tasks) {
  MOVED;
  for (int i = 0; i < tasks; i++) {
#pragma omp task
    wait_a_little();
  }
#pragma omp taskwait
}

static void (*schedule_of(const char *body))(int, int) {
  return strcmp(body, "static") == 0    ? static_waits
         : strcmp(body, "dynamic") == 0 ? dynamic_waits
         : strcmp(body, "guided") == 0  ? guided_waits
                                        : NULL;
}

/* One thread creates, all run. The others look for tasks until it is done: in a barrier they would fall asleep,
 * and what is measured would be how long it takes to wake them. */
static double tasks(int count, int threads, int warmup, int times, int *team) {
  double took = 0;
  atomic_int here = 0, is_done = 0;
#pragma omp parallel num_threads(threads)
  {
    begin_together(&here);
    if (omp_get_thread_num() == 0) {
      *team = omp_get_num_threads();
      create(warmup);
      double start = now();
      for (int i = 0; i < times; i++)
        create(count);
      took = now() - start;
      atomic_store(&is_done, 1);
    } else {
      while (!atomic_load(&is_done)) {
#pragma omp taskyield
      }
    }
  }
  return took / times;
}

static double loops_of(void (*run)(int, int), int chunk, int threads, int iterations, int warmup, int times, int *team) {
  static double took[MOST_THREADS][8]; /* a cache line each */
  atomic_int here = 0;
#pragma omp parallel num_threads(threads)
  {
    int self = omp_get_thread_num();
    if (self == 0)
      *team = omp_get_num_threads();
    begin_together(&here);
    for (int i = 0; i < warmup; i++)
      run(iterations, chunk);
    double start = now();
    for (int i = 0; i < times; i++)
      run(iterations, chunk);
    took[self][0] = now() - start;
  }
  double sum = 0;
  for (int i = 0; i < threads; i++)
    sum += took[i][0];
  return sum / threads / times;
}

static void thesis(const char *body, int chunk, int threads, int iterations, int warmup, int times) {
  void (*run)(int, int) = schedule_of(body);
  int team = 0;
  if ((!run && strcmp(body, "task") != 0) || threads > MOST_THREADS) {
    printf("error no such batch\n");
    return;
  }
  double took = run ? loops_of(run, chunk, threads, iterations, warmup, times, &team)
                    : tasks(chunk, threads, warmup, times, &team);
  if (team != threads)
    printf("error the runtime gave a team of %d\n", team);
  else
    printf("%.9g\n", took);
}

static void events(const char *body, int chunk, int threads, int iterations) {
  long (*count)(int) = counter();
  void (*run)(int, int) = schedule_of(body);
  int team = 0;
  if (!is_tool_here(count))
    return;
  if (count)
    count(1);
  if (run)
    loops_of(run, chunk, threads, iterations, 0, 1, &team);
  else
    tasks(chunk, threads, 0, 1, &team);
  printf("%ld\n", count ? count(0) : 0);
}
