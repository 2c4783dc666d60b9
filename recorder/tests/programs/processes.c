//--- tiny.c
/* Tiny regions: so many, on so many threads. After them, what the third argument says: `kill`, or nothing. Prints how
 * many chunks ran: one per thread and region. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double data[4096];

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  long regions = atol(argv[1]), chunks = 0;
  int threads = atoi(argv[2]);
  for (long r = 0; r < regions; r++) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int i = 0; i < 4096; i++) data[i] += i;
    chunks += threads;
  }
  printf("%ld\n", chunks);
  fflush(stdout);
  if (argc > 3 && !strcmp(argv[3], "kill")) raise(SIGKILL);
  return 0;
}
//--- end.c
/* Runs a loop of 1000 chunks on 3 threads, again and again, and ends as the argument says. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not of omp.h, which not every clang finds. */
int omp_pause_resource_all(int kind);

static double data[1000];

/* The runtime has no thread of that number any more after a pause. */
__attribute__((noinline)) static void run(int repetitions) {
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
  if (!strcmp(how, "pause")) {
    const int hard = 2;
    if (omp_pause_resource_all(hard)) return 7;
    run(5);
  }
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
//--- rawfork.c
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
//--- jailed.c
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
//--- sandboxed.c
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
//--- scarce.c
/* scarce: its malloc, and mmap, give shim and recorder nothing any more, from the allocation on that the second argument numbers, or
   only that one, or each one whose number it divides ("from", "only", "every"). Everybody else gets what is there. Threads that come one
   after the other, as many as the third says, and a team of them; loops, regions within others, tasks with dependences, locks, libraries
   and processes that come and go. Prints how many chunks ran, and then how often the two asked for memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static struct {
  uintptr_t begin, end;
} theirs[8];
static int libraries, is_armed;
static char way;
static long number, asked;

static int look(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size;
  (void)unused;
  if (!strstr(info->dlpi_name, "libompchunk_") || libraries == 8) return 0;
  for (int h = 0; h < info->dlpi_phnum; h++)
    if (info->dlpi_phdr[h].p_type == PT_LOAD && info->dlpi_phdr[h].p_flags & PF_X) {
      theirs[libraries].begin = info->dlpi_addr + info->dlpi_phdr[h].p_vaddr;
      theirs[libraries].end = theirs[libraries].begin + info->dlpi_phdr[h].p_memsz;
      libraries++;
    }
  return 0;
}

static int is_refused(void *caller) {
  if (!is_armed) return 0;
  for (int l = 0; l < libraries; l++)
    if ((uintptr_t)caller >= theirs[l].begin && (uintptr_t)caller < theirs[l].end) {
      long now = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
      int refused = way == 'f' ? now >= number : way == 'o' ? now == number : now % number == 0;
      if (refused) errno = ENOMEM;
      return refused;
    }
  return 0;
}

void *malloc(size_t size) {
  return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return is_refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (is_refused(__builtin_return_address(0))) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  if (is_refused(__builtin_return_address(0))) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

enum { EACH = 20 };
static long ran;
static double data[EACH];

#define LOOP(name, how)                                                                            \
  static void name(void) {                                                                         \
    _Pragma(how) for (int i = 0; i < EACH; i++) data[i] += i;                                      \
    ran += EACH;                                                                                   \
  }
#define STATIC "omp parallel for schedule(static, 1) num_threads(2)"
#define DYNAMIC "omp parallel for schedule(dynamic, 1) num_threads(2)"
#define FOUR(name)                                                                                 \
  LOOP(name##_a, STATIC)                                                                        \
  LOOP(name##_b, DYNAMIC) LOOP(name##_c, STATIC) LOOP(name##_d, DYNAMIC)
FOUR(one)
FOUR(two)
FOUR(three)
FOUR(four)

static void (*const loops[])(void) = {one_a,   one_b,   one_c,   one_d,   two_a,  two_b,  two_c,  two_d,
                                      three_a, three_b, three_c, three_d, four_a, four_b, four_c, four_d};

static void *alone(void *unused) {
  one_a();
  return unused;
}

static long sum(int depth) {
  long left = 0, right = 0;
  if (depth == 0) return 1;
#pragma omp task shared(left)
  left = sum(depth - 1);
#pragma omp task shared(right)
  right = sum(depth - 1);
#pragma omp taskwait
  return left + right;
}

static long tasks(void) {
  long all = 0;
  int cells[8] = {0};
#pragma omp parallel num_threads(2) shared(all, cells)
#pragma omp single
  {
    all = sum(6);
    for (int t = 0; t < 40; t++) {
      int *cell = &cells[t % 8], *next = &cells[(t + 1) % 8];
#pragma omp task depend(in : *next) depend(inout : *cell)
      ++*cell;
    }
#pragma omp taskgroup
    {
#pragma omp task shared(all)
#pragma omp critical
      all++;
    }
  }
  for (int c = 0; c < 8; c++) all += cells[c];
  return all;
}

static int nested(void) {
  int inside = 0;
#pragma omp parallel num_threads(2) reduction(+ : inside)
  {
#pragma omp parallel for schedule(static, 1) num_threads(2) reduction(+ : inside)
    for (int i = 0; i < EACH; i++) inside++;
  }
  ran += inside;
  return inside;
}

static int forks(void) {
  int status = 1;
  pid_t child = fork();
  if (child == 0) {
    one_a();
    exit(0);
  }
  return child > 0 && waitpid(child, &status, 0) == child ? status : 1;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  omp_set_max_active_levels(2);
  alone(NULL);
  way = argv[1][0];
  number = atol(argv[2]);
  dl_iterate_phdr(look, NULL);
  is_armed = number > 0;
  for (unsigned l = 0; l < sizeof loops / sizeof *loops; l++) {
    void *library = l % 4 ? NULL : dlopen("libutil.so.1", RTLD_NOW);
    loops[l]();
    if (library) dlclose(library);
  }
  if (tasks() != 64 + 1 + 40 || nested() != 2 * EACH) return 3;
  for (int t = 0; t < atoi(argv[3]); t++) {
    pthread_t thread;
    errno = 0;
    if (pthread_create(&thread, NULL, alone, NULL) || pthread_join(thread, NULL)) return 4;
  }
#pragma omp parallel for schedule(static, 1) num_threads(atoi(argv[3]))
  for (int i = 0; i < EACH; i++) data[i] += i;
  ran += EACH;
  for (unsigned l = 0; l < sizeof loops / sizeof *loops; l++) loops[l]();
  if (forks()) return 5;
  printf("%ld %ld\n", ran, asked);
  return 0;
}
