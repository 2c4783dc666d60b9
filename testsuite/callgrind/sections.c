// Sections whose instructions are counted: constructs with few and with many. Each is a function of its own, whose inclusive
// count callgrind gives; the difference of the two is that of the sections alone.

#define THREADS 2
#define NOT_INLINED __attribute__((noinline))

void called(int section);
NOT_INLINED void called(int section) { __asm__ volatile("" : : "r"(section)); }

#define SECTION(section) _Pragma("omp section") called(section);
#define FOUR(first) SECTION(first) SECTION(first + 1) SECTION(first + 2) SECTION(first + 3)

NOT_INLINED static void few(void) {
#pragma omp sections nowait
  { FOUR(0) FOUR(4) }
}

NOT_INLINED static void many(void) {
#pragma omp sections nowait
  { FOUR(0) FOUR(4) FOUR(8) FOUR(12) FOUR(16) FOUR(20) }
}

NOT_INLINED static void warm(void) {
#pragma omp sections nowait
  { FOUR(0) }
}

int main(void) {
#pragma omp parallel num_threads(THREADS)
  {
    warm(); // What only a first call does: binding symbols, and a thread's own storage.
    few();
    many();
  }
  return 0;
}
