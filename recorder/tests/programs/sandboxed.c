/* Installs a filter that kills whoever makes a call that this program does without: `first` before the runtime begins, `later`
 * after a region. Then it runs loops in which its threads sleep, and whose chunks fill blocks. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHUNKS = 20000 };

static double data[CHUNKS];

static void forbid(int call) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program)) {
    perror("seccomp");
    exit(77);
  }
}

static void run(void) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (long i = 0; i < CHUNKS; i++) {
    data[i] += 1;
    if (i % 1000 == 0) usleep(1000);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "first"))
    forbid(SYS_getrusage);
  run();
  if (argc > 1 && !strcmp(argv[1], "later")) {
    forbid(SYS_getrusage);
    /* The C library itself needs it when a runtime begins. */
    forbid(SYS_prlimit64);
  }
  run();
  puts("done");
  return 0;
}
