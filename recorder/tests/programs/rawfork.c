/* A child that libc knows nothing of ends like a program, in the middle of its parent's recording. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void loops(int n) {
#pragma omp parallel num_threads(1)
  for (int r = 0; r < n; r++)
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 100; i++) __asm__ volatile("");
}

int main(void) {
  loops(200);
  long child = syscall(SYS_fork);
  if (child == 0) exit(0);
  int status;
  if (child < 0 || waitpid((pid_t)child, &status, 0) != child || status) return 3;
  loops(200);
  return 0;
}
