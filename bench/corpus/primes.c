/* primes - which numbers have no divisor, by trying.
 *
 *   primes [REPETITIONS [NUMBERS]]
 *
 * A prime takes as many divisions as its square root has odd numbers below it, another number mostly few; larger primes
 * take more.
 */
#include "program.h"

enum { MOST = 2000000 };

static unsigned char is_prime[MOST];

static int has_no_divisor(unsigned number) {
  for (unsigned divisor = 3; divisor * divisor <= number; divisor += 2)
    if (number % divisor == 0)
      return 0;
  return 1;
}

static void try_all(int numbers, unsigned from) {
#pragma omp parallel for schedule(static) /* ADVISE */
  for (int at = 0; at < numbers; at++)
    is_prime[at] = (unsigned char)has_no_divisor(from + 2 * (unsigned)at);
}

int main(int argc, char **argv) {
  int repetitions = 200, numbers = 40000;
  read_arguments(argc, argv, &repetitions, &numbers, 1, MOST, "primes [REPETITIONS [NUMBERS]], at most %d numbers");
  long checksum = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    try_all(numbers, 3 + 2 * (unsigned)(repetition % 32));
    for (int at = 0; at < numbers; at++)
      checksum += is_prime[at] * (at % 31 + 1);
  }
  printf("%ld\n", checksum);
  return 0;
}
