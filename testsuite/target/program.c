// Ten executions of a loop of forty chunks, by however many threads.

#include <stdio.h>

int main(void) {
  static double field[400];
  for (int execution = 0; execution < 10; execution++) {
#pragma omp parallel for schedule(static, 10)
    for (int i = 0; i < 400; i++) field[i] += i;
  }
  printf("%g\n", field[399]);
  return 0;
}
