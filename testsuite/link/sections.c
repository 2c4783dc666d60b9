/* Five sections, each of which tells the tool that it runs, and in which line. */
#include <stddef.h>

__attribute__((visibility("default"))) void (*section_hook)(int section, int line);

#define RUNS(section)                                                                              \
  if (section_hook) section_hook(section, __LINE__)

int main(void) {
  for (int time = 0; time < 50; time++) {
#pragma omp parallel sections
    {
      RUNS(0);
#pragma omp section
      RUNS(1);
#pragma omp section
      RUNS(2);
#pragma omp section
      RUNS(3);
#pragma omp section
      RUNS(4);
    }
  }
  return 0;
}
