// Loop variables narrower than int, whose logical iteration variable is wider than they are.
//
// LOOPS: 5
// USER: 0 1 2 3 4
#include "program.h"

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (signed char i = -100; i < 100; i += 9) STEP(0, (i + 100) / 9, 23, i);
#pragma omp for schedule(static, 4)
    for (unsigned char i = 200; i > 100; i -= 9) STEP(1, (200 - i) / 9, 12, i);
#pragma omp for schedule(static, 4)
    for (short i = SHRT_MAX - 5; i < SHRT_MAX; i++) STEP(2, i - (SHRT_MAX - 5), 5, i);
#pragma omp for
    for (unsigned short i = USHRT_MAX - 5; i < USHRT_MAX; i++) STEP(3, i - (USHRT_MAX - 5), 5, i);
#pragma omp for schedule(static, 4)
    for (long long i = 1LL << 40; i < (1LL << 40) + 21; i++) STEP(4, i - (1LL << 40), 21, i);
  }
  for (int loop = 0; loop < 5; loop++) report(loop);
  return 0;
}
