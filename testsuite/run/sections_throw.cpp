// An exception that is caught in its section, a section that is left by goto within it, and sections in a template and a lambda.
//
// LOOPS: 3
// NO-USER: 0 1 2
#include "program.h"

template <int first> static int twice(int of) {
  int sum = 0;
#pragma omp parallel sections reduction(+ : sum)
  {
#pragma omp section
    {
      STEP(first, 0, 3, of);
      try {
        if (of > 1) throw of;
        sum += 1;
      } catch (int thrown) {
        sum += 10 * thrown;
      }
    }
#pragma omp section
    {
      STEP(first, 1, 3, of);
      if (of > 2) goto over;
      sum += 100;
    over:
      sum += 1000;
    }
#pragma omp section
    STEP(first, 2, 3, of);
  }
  return sum;
}

int main() {
  for (int of = 0; of < 4; of++) printf("%d %d\n", twice<0>(of), twice<1>(of));
  auto lambda = [](int of) {
    int sum = 0;
#pragma omp parallel sections lastprivate(sum)
    {
#pragma omp section
      STEP(2, 0, 2, of);
#pragma omp section
      {
        STEP(2, 1, 2, of);
        sum = of;
      }
    }
    return sum;
  };
  printf("%d\n", lambda(5));
  report(0);
  report(1);
  report(2);
  return 0;
}
