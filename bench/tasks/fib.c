// fault: cutoff
/* fib - Fibonacci numbers by two tasks for each call, down to the smallest. fib [NUMBER] */
#include "program.h"

#ifdef MENDED
enum { ALONE = 20 };

static uint64_t alone(int number) { return number < 2 ? (uint64_t)number : alone(number - 1) + alone(number - 2); }
#endif

static uint64_t fib(int number) {
  uint64_t one, two;
#ifdef MENDED
  if (number <= ALONE)
    return alone(number);
#endif
  if (number < 2)
    return (uint64_t)number;
#pragma omp task shared(one)
  one = fib(number - 1);
#pragma omp task shared(two)
  two = fib(number - 2);
#pragma omp taskwait
  return one + two;
}

int main(int argc, char **argv) {
  int number = read_size(argc, argv, 26, 2, 40);
  uint64_t found = 0, last = 0, next = 1;
#pragma omp parallel
#pragma omp single
  found = fib(number);
  for (int at = 0; at < number; at++) {
    uint64_t sum = last + next;
    last = next;
    next = sum;
  }
  return verify(found, last);
}
