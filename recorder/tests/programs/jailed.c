/* Runs a loop of 1000 chunks, and once more below another root directory, the second argument: in this process (`self`), or in
 * one that it forks (`child`), and then here again. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static double data[1000];

static void run(void) {
#pragma omp parallel for schedule(static, 1) num_threads(3)
  for (int i = 0; i < 1000; i++) data[i] += i;
}

static void change_root(const char *to) {
  if (chroot(to) || chdir("/")) {
    perror("chroot");
    _exit(77);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  /* Whoever is not root may be it in a namespace of users. */
  if (geteuid() && unshare(CLONE_NEWUSER)) {
    perror("unshare");
    return 77;
  }
  run();
  if (!strcmp(argv[1], "self")) {
    change_root(argv[2]);
  } else {
    pid_t child = fork();
    if (child == 0) {
      change_root(argv[2]);
      run();
      exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status) return WEXITSTATUS(status);
  }
  run();
  puts("done");
  return 0;
}
