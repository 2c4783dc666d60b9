// Loops of all kinds within regions, some within other loops: 10 times each, in teams of two threads.

#include <stdio.h>

int omp_get_thread_num(void);
void omp_set_max_active_levels(int levels);

static long sum;

static void add(long value) {
#pragma omp atomic
  sum += value;
}

__attribute__((noinline)) static void inner(int n) {
#pragma omp parallel for num_threads(2) schedule(static, 1) // inner
  for (int i = 0; i < n; i++) add(1);
}

int main(void) {
  omp_set_max_active_levels(2);
  for (int turn = 0; turn < 10; turn++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 2) // outer
      for (int i = 0; i < 8; i++) inner(16);
#pragma omp for schedule(dynamic, 1) nowait // dealt
      for (int i = 0; i < 10; i++) add(1);
#pragma omp sections // sections
      {
#pragma omp section
        add(1);
#pragma omp section
        inner(4);
      }
#pragma omp for schedule(guided, 3) ordered // ordered
      for (int i = 0; i < 20; i++) {
#pragma omp ordered
        add(1);
      }
#pragma omp for collapse(2) // two
      for (int i = 0; i < 10; i++)
        for (int k = 0; k < 10; k++) add(1);
    }
  }
  printf("%ld\n", sum);
  return 0;
}
