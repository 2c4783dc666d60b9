// One image or object of a larger program: a chunked and an unchunked loop. PART is its number, and
// its loops are 2*PART and 2*PART+1.
//
// LOOPS: 2
#include "../run/program.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

__attribute__((visibility("default"))) void JOIN(part_, PART)(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) STEP(2 * PART, i, n, i);
#pragma omp for
    for (int i = 0; i < n; i++) STEP(2 * PART + 1, i, n, i);
  }
  report(2 * PART);
  report(2 * PART + 1);
}

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void begin(void) { JOIN(part_, PART)(29); }
#endif
