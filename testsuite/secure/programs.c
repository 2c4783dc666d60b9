//--- evil.c
// What whoever starts a set-user-ID program would like it to load.
#include <unistd.h>

__attribute__((constructor)) static void begin(void) {
  static const char text[] = "evil was loaded\n";
  if (write(1, text, sizeof text - 1) < 0) _exit(3);
}

void *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  return 0;
}
//--- program.c
// Says whether it takes orders, runs a loop, and says how often that goes over to the other thread.
//
// LOOPS: 1
#include <stdio.h>
#include <sys/auxv.h>

int omp_get_thread_num(void);

int main(void) {
  int sum = 0, who[25], changes = 0;
#pragma omp parallel for schedule(static, 3) num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 25; i++) sum += i, who[i] = omp_get_thread_num();
  for (int i = 1; i < 25; i++) changes += who[i] != who[i - 1];
  printf("secure=%lu sum=%d changes=%d\n", getauxval(AT_SECURE), sum, changes);
  return 0;
}
