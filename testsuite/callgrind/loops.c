// Loops whose instructions are counted: each body, in every chunk size from 1 to 64, in two lengths. Each of
// these is a function of its own, whose inclusive count callgrind gives; the difference of the two lengths
// is that of the chunks alone.
//
// Two threads, because some runtimes give a team of one the whole loop as one chunk. They wait for nothing
// within what is counted.

#define FEW 10
#define MANY 30
#define THREADS 2
#define NOT_INLINED __attribute__((noinline))

static float elements[THREADS * MANY * 64];

void called(int i);
NOT_INLINED void called(int i) { __asm__ volatile("" : : "r"(i)); }

#define LOOP(name, body)                                                                           \
  NOT_INLINED void name(int iterations, int chunk);                                                \
  NOT_INLINED void name(int iterations, int chunk) {                                               \
    _Pragma("omp for schedule(static, chunk) nowait") for (int i = 0; i < iterations; i++) body;   \
  }

LOOP(empty, __asm__ volatile(""))
LOOP(flops, elements[i] = elements[i] * 0.5f + 1.0f)
LOOP(delay, for (int spin = 0; spin < 5; spin++) __asm__ volatile("" : "+r"(spin)))
LOOP(call, called(i))

#define COUNTED(name, body, chunk, chunks)                                                         \
  NOT_INLINED static void name(void) {                                                             \
    body(THREADS *chunks *chunk, chunk);                                                           \
    __asm__ volatile(""); /* no tail call: the loop is called from here */                         \
  }
#define OF_CHUNK(body, chunk)                                                                      \
  COUNTED(few_##body##_##chunk, body, chunk, FEW)                                                  \
  COUNTED(many_##body##_##chunk, body, chunk, MANY)
#define RUN(body, chunk)                                                                           \
  few_##body##_##chunk();                                                                          \
  many_##body##_##chunk();

#define EACH_CHUNK(X, body)                                                                        \
  X(body, 1) X(body, 2) X(body, 3) X(body, 4) X(body, 5) X(body, 6) X(body, 7) X(body, 8)          \
  X(body, 9) X(body, 10) X(body, 11) X(body, 12) X(body, 13) X(body, 14) X(body, 15) X(body, 16)   \
  X(body, 17) X(body, 18) X(body, 19) X(body, 20) X(body, 21) X(body, 22) X(body, 23) X(body, 24)  \
  X(body, 25) X(body, 26) X(body, 27) X(body, 28) X(body, 29) X(body, 30) X(body, 31) X(body, 32)  \
  X(body, 33) X(body, 34) X(body, 35) X(body, 36) X(body, 37) X(body, 38) X(body, 39) X(body, 40)  \
  X(body, 41) X(body, 42) X(body, 43) X(body, 44) X(body, 45) X(body, 46) X(body, 47) X(body, 48)  \
  X(body, 49) X(body, 50) X(body, 51) X(body, 52) X(body, 53) X(body, 54) X(body, 55) X(body, 56)  \
  X(body, 57) X(body, 58) X(body, 59) X(body, 60) X(body, 61) X(body, 62) X(body, 63) X(body, 64)
#define EACH_BODY(X) X(empty) X(flops) X(delay) X(call)

#define DEFINE(body) EACH_CHUNK(OF_CHUNK, body)
EACH_BODY(DEFINE)

int main(void) {
#pragma omp parallel num_threads(THREADS)
  {
    // What only a first call does: binding symbols, and a thread's own storage.
#define WARM_UP(body) body(THREADS * FEW, 1);
    EACH_BODY(WARM_UP)
#define RUN_ALL(body) EACH_CHUNK(RUN, body)
    EACH_BODY(RUN_ALL)
  }
  return 0;
}
