// A program whose stacks are sampled, in the ways that its first argument names. What it counts it prints.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int omp_get_max_threads(void);
int omp_get_thread_num(void);

// Functions in sections of their own: the linker says where each begins and ends.
#define IN(name) __attribute__((noinline, section("in_" #name)))
#define RANGE(name) \
  extern char __start_in_##name[], __stop_in_##name[]; \
  printf(#name " %p %p\n", (void *)__start_in_##name, (void *)__stop_in_##name)

static double cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static volatile double sink;

IN(leaf) double leaf(double seconds) {
  double end = cpu() + seconds, x = 1;
  while (cpu() < end)
    for (int i = 0; i < 2000; i++) x = x * 1.0000001 + 1e-9;
  sink = x;
  return x;
}

// Arrays of a size that is not known make the compiler address the frame in another way.
IN(middle) double middle(double seconds, int size) {
  double all[size + 1];
  for (int i = 0; i <= size; i++) all[i] = i;
  sink = all[size / 2];
  return leaf(seconds) + all[size];
}

IN(outer) double outer(double seconds, int n) {
  double sum = 0;
#pragma omp parallel for schedule(static, 1) reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += middle(seconds, i % 7);
  return sum + 1;
}

IN(caller) double caller(double seconds, int n) { return outer(seconds, n) * 2; }

IN(deep) double deep(int depth, double seconds) {
  char here[64];
  memset(here, depth, sizeof here);
  double x = depth > 0 ? deep(depth - 1, seconds) : leaf(seconds);
  return x + here[depth % 64];
}

static int failures;
static void check(int is, const char *what) {
  if (!is) {
    printf("WRONG: %s (%s)\n", what, strerror(errno));
    failures++;
  }
}

// Sleeping calls that no handler may cut short, between bits of work.
static void sleeps(void) {
  long short_ones = 0;
#pragma omp parallel reduction(+ : short_ones) num_threads(4)
  for (int i = 0; i < 1000; i++) {
    struct timespec little = {0, 1000};
    leaf(0.00005);
    short_ones += i % 2 ? nanosleep(&little, NULL) != 0 : poll(NULL, 0, 0) != 0;
  }
  printf("cut short %ld\n", short_ones);
}

static volatile sig_atomic_t mine, strange;
static void on_mine(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  if (info->si_code == SI_QUEUE || info->si_code == SI_TKILL)
    mine++;
  else
    strange++;
}

static void take(int signal) {
  struct sigaction action = {.sa_sigaction = on_mine, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(signal, &action, NULL);
}

static void send(int signal, int times) {
  for (int i = 0; i < times; i++) {
    union sigval value = {.sival_int = i};
    sigqueue(getpid(), signal, value);
  }
}

// The signal that somebody else has taken; 0: none.
static int taken(void) {
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++) {
    struct sigaction action;
    sigaction(signal, NULL, &action);
    if (action.sa_handler != SIG_DFL) return signal;
  }
  return 0;
}

static void *allocate(void *unused) {
  for (int i = 0; i < 200000; i++) free(malloc((size_t)(i % 5000)));
  return unused;
}

static void on_usr1(int signal) {
  (void)signal;
  leaf(0.3);
}

static volatile sig_atomic_t ticks;
static void on_prof(int signal) {
  (void)signal;
  ticks++;
}

// Down to 16 KiB before the end of the stack.
static __attribute__((noinline)) double down(char *end) {
  char here[256];
  memset(here, 1, sizeof here);
  double x = here < end + (16 << 10) ? leaf(0.1) : down(end);
  return x + here[sink > 1e300];
}

static double limited(void) {
  pthread_attr_t attributes;
  size_t size;
  void *begin;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  return down(begin);
}

// How much of a small stack is written below this function while it computes: what the signals took, but 1 KiB of its own.
static void *on_a_small_stack(void *unused) {
  enum { OWN = 1 << 10, PAINT = 0x5a };
  pthread_attr_t attributes;
  size_t size;
  void *begin;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
#pragma omp parallel num_threads(1)
  {
    char *top = (char *)__builtin_frame_address(0) - OWN;
    char *low = (char *)begin + 64, *at = low;
    for (volatile char *it = low; it < top; it++) *it = PAINT;
    leaf(0.2);
    while (at < top && *(volatile char *)at == PAINT) at++;
    printf("taken %ld of at most %ld\n", (long)(top - at), (long)getauxval(AT_MINSIGSTKSZ) + 2048);
    check(top - at < (long)getauxval(AT_MINSIGSTKSZ) + 2048, "a small stack is written to that far");
  }
  return unused;
}

static void small_stack(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 48 << 10);
  pthread_create(&thread, &attributes, on_a_small_stack, NULL);
  pthread_attr_destroy(&attributes);
  pthread_join(thread, NULL);
}

static void *waits_for_ever(void *unused) {
  for (;;) pause();
  return unused;
}

// From then on the C library needs the signal by which it cancels threads.
static void cancel_a_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, waits_for_ever, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
}

// The runtime may begin before main.
static __attribute__((constructor(101))) void first(int count, char **words) {
  if (count > 1 && (!strcmp(words[1], "takes") || !strcmp(words[1], "blocked"))) cancel_a_thread();
}

// Whatever signal comes to a program that waits for any is its own.
static void wait_for_signals(void) {
  sigset_t all;
  struct timespec none = {0, 0};
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (int k = 0; k < 5; k++) {
    leaf(0.03);
    int found = sigtimedwait(&all, NULL, &none);
    if (found != -1) printf("WRONG: signal %d waits\n", found);
  }
  sigprocmask(SIG_UNBLOCK, &all, NULL);
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  double work = count > 2 ? atof(words[2]) : 0.02;
  if (!strcmp(what, "all ignored")) {
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) signal(number, SIG_IGN);
    execl(words[0], words[0], "all are ignored", (char *)NULL);
  }
  if (!strcmp(what, "blocked")) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
  }
  if (!strcmp(what, "profiled")) {
    signal(SIGPROF, on_prof);
    struct itimerval every = {{0, 10000}, {0, 10000}};
    setitimer(ITIMER_PROF, &every, NULL);
  }
  caller(work, 2 * omp_get_max_threads());
  if (!strcmp(what, "sleeps")) sleeps();
  if (!strcmp(what, "small stack")) small_stack();
  if (!strcmp(what, "waits")) wait_for_signals();
  if (!strcmp(what, "cancels")) {
    cancel_a_thread();
    for (int k = 0; k < 5; k++) {
      usleep(20000);
      caller(0.03, omp_get_max_threads());
    }
  }
  if (!strcmp(what, "all are ignored"))
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
      check(signal(number, SIG_IGN) == SIG_IGN, "a signal is not ignored any more");
  if (!strcmp(what, "takes")) {
    int signal = taken();
    check(signal > 0, "no signal is taken");
    take(signal);
    for (int i = 0; i < 5; i++) {
      send(signal, 3);
      usleep(30000);
      caller(0.03, omp_get_max_threads());
    }
    int before = strange;
    check(mine == 15, "signals of the program's");
    caller(0.1, omp_get_max_threads());
    check(strange == before, "timers go on");
  }
  if (!strcmp(what, "blocked")) {
    sigset_t waiting;
    sigpending(&waiting);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++) check(!sigismember(&waiting, signal), "a signal waits");
  }
  if (!strcmp(what, "profiled")) check(ticks > 3, "the program's own timer");
  if (!strcmp(what, "other stack")) {
    stack_t stack = {.ss_sp = malloc(64 << 10), .ss_size = 64 << 10};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = on_usr1, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
  }
  if (!strcmp(what, "fork")) {
    pid_t child = fork();
    if (child == 0) {
      caller(0.05, 2 * omp_get_max_threads());
      exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    check(status == 0, "the child");
  }
  if (!strcmp(what, "exec")) {
    caller(0.05, omp_get_max_threads());
    execl(words[0], words[0], "again", "0.05", (char *)NULL);
  }
  if (!strcmp(what, "close")) {
    int files[300];
    closefrom(3);
    for (int i = 0; i < 300; i++) files[i] = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    for (int i = 300; i < 1000; i++)
      if (fcntl(files[0], F_DUPFD, i) < 0) break;
    caller(0.3, omp_get_max_threads());
    for (int i = 0; i < 300; i++) {
      struct stat found;
      check(fstat(files[i], &found) == 0 && found.st_size == 0, "a file of the program's");
    }
  }
  if (!strcmp(what, "threads")) {
    double all = 0;
#pragma omp parallel num_threads(300) reduction(+ : all)
    {
      leaf(work);
      all += cpu();
    }
    printf("cpu %f\n", all);
  }
  if (!strcmp(what, "allocates")) {
#pragma omp parallel num_threads(4)
    {
      allocate(NULL);
      for (int i = 0; i < 50 && omp_get_thread_num() == 0; i++) {
        void *library = dlopen("libm.so.6", RTLD_NOW);
        void *other = dlopen("libutil.so.1", RTLD_NOW);
        if (other) dlclose(other);
        if (library) dlclose(library);
      }
    }
  }
  if (!strcmp(what, "deep")) {
#pragma omp parallel num_threads(2)
    {
      deep(2000, 0.1);
      limited();
    }
  }
  if (!strcmp(what, "exit inside")) {
#pragma omp parallel num_threads(4)
    {
      leaf(0.1);
      if (omp_get_thread_num() == 0) exit(0);
      leaf(1);
    }
  }
  if (!strcmp(what, "killed")) {
    caller(0.3, omp_get_max_threads());
    kill(getpid(), SIGKILL);
  }
  RANGE(leaf);
  RANGE(middle);
  RANGE(outer);
  RANGE(caller);
  printf("done\n");
  return failures != 0;
}
