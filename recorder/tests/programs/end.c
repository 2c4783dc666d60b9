/* Runs a loop of 1000 chunks on 3 threads, again and again, and ends as the argument says. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double data[1000];

static void run(int repetitions) {
  for (int r = 0; r < repetitions; r++)
#pragma omp parallel for schedule(static, 1) num_threads(3)
    for (int i = 0; i < 1000; i++) data[i] += i;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (!strcmp(how, "limit")) {
    struct rlimit small = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &small);
    run(1000);
    puts("done");
    return 5;
  }
  if (!strcmp(how, "many")) {
    run(1000);
    puts("done");
    return 0;
  }
  run(20);
  if (!strcmp(how, "exit")) exit(3);
  if (!strcmp(how, "_exit")) _exit(4);
  /* As test runners, web servers and Python's multiprocessing do. */
  if (!strcmp(how, "children")) {
    for (int k = 0; k < 20; k++) {
      pid_t child = fork();
      if (child == 0) {
        run(1);
        _exit(0);
      }
      waitpid(child, NULL, 0);
    }
  }
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "segv")) raise(SIGSEGV);
  /* Who starts us may ignore it, as nohup's relatives and some CI do; so each case says what holds. */
  if (!strcmp(how, "int")) {
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
  }
  if (!strcmp(how, "ignored")) {
    signal(SIGINT, SIG_IGN);
    raise(SIGINT);
  }
  if (!strcmp(how, "term")) raise(SIGTERM);
  if (!strcmp(how, "kill")) raise(SIGKILL);
  if (!strcmp(how, "inside"))
#pragma omp parallel num_threads(3)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 1000; i++)
      if (i == 500) exit(6);
  }
  if (!strcmp(how, "fork") || !strcmp(how, "idle fork")) {
    pid_t child = fork();
    if (child == 0) {
      if (how[0] == 'f') run(10);
      exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    run(5);
    return status ? 1 : 0;
  }
  puts("done");
  return 0;
}
