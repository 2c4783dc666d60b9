//--- constructor.c
/* With LIBRARY: runs loops on four threads while it is loaded and while it is closed, when the dynamic linker holds its
 * lock. Else the program that loads it, after loops of its own if there is a second argument. */
#include <dlfcn.h>
#include <stdio.h>

static double data[400];

static void run(void) {
  for (int repetition = 0; repetition < 50; repetition++)
#pragma omp parallel for schedule(static, 1) num_threads(4)
    for (int i = 0; i < 400; i++) data[i] += i;
#pragma omp parallel for schedule(dynamic, 1) num_threads(4)
  for (int i = 0; i < 400; i++) data[i] += i;
}

#ifdef LIBRARY
__attribute__((constructor)) static void begin(void) { run(); }
__attribute__((destructor)) static void end(void) { run(); }
#else
int main(int argc, char **argv) {
  if (argc > 2) run();
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    puts(dlerror());
    return 1;
  }
  dlclose(library);
  puts("done");
  return 0;
}
#endif
//--- late.c
/* A thread runs loops alone, as often as the first argument says; then a team of the size of the second as often as the
 * third; and at last as many threads as the fourth says come one after the other, each with a loop of its own. Each loop has
 * 100 chunks. Prints how many chunks ran. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static double data[100];

static void run(long repetitions, int threads) {
  for (long r = 0; r < repetitions; r++)
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int i = 0; i < 100; i++) data[i] += i;
}

static void *alone(void *repetitions) {
  run(*(long *)repetitions, 2);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  long first = atol(argv[1]), second = atol(argv[3]), each = 50;
  int threads = atoi(argv[2]), late = atoi(argv[4]);
  run(first, 2);
  run(second, threads);
  for (int t = 0; t < late; t++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, alone, &each) || pthread_join(thread, NULL)) return 3;
  }
  printf("%ld\n", 100 * (first + second + late * each));
  return 0;
}
//--- lives.c
// Opens a library that brings its runtime, runs its loop and closes it, three times; with LIBRARY, that library.
//
// Argument: its path.
#ifdef LIBRARY
static double a[30];

void loop(void) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 30; i++) a[i] += i;
}
#else
#include <dlfcn.h>

int main(int argc, char **argv) {
  for (int life = 0; life < 3 && argc == 2; life++) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return 2;
    ((void (*)(void))dlsym(library, "loop"))();
    dlclose(library);
  }
  return 0;
}
#endif
//--- unload.c
/* Loads libraries one after the other, runs the loop of each and closes it again: arguments are pairs of a library and
 * a number of iterations. A library that was not there before must come to where the first one was; what is in the way
 * is filled until it does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void run_fn(int);

static void *base_of(void *library) {
  struct link_map *map;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) ? NULL : (void *)map->l_addr;
}

int main(int argc, char **argv) {
  void *first = NULL;
  for (int at = 1; at + 1 < argc; at += 2) {
    void *library = NULL, *base = NULL;
    for (int attempt = 0; attempt < 64; attempt++) {
      library = dlopen(argv[at], RTLD_NOW | RTLD_LOCAL);
      if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
      }
      base = base_of(library);
      if (!first || base == first) break;
      /* In the way from now on. */
      dlclose(library);
      mmap(base, sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    }
    if (!first) first = base;
    run_fn *run = (run_fn *)dlsym(library, "run");
    if (!run) return 3;
    run(atoi(argv[at + 1]));
    printf("%p %s\n", base, base == first ? "same" : "other");
    dlclose(library);
  }
  return 0;
}
//--- guest.c
/* What a program may do with its descriptors and limits while others are guests in its process. The first argument says what; the
 * file of its own is named by the second. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile long cells[1000];

static void run(void) {
  for (int r = 0; r < 500; r++)
#pragma omp parallel for schedule(static, 1) num_threads(2)
    for (int i = 0; i < 1000; i++) cells[i] += i;
}

/* A daemon's way: its own file is what standard error was. */
static int take(const char *path) {
  for (int it = 0; it < 1024; it++) close(it);
  if (open("/dev/null", O_RDWR) != 0 || dup(0) != 1 || open(path, O_RDWR | O_CREAT | O_TRUNC, 0600) != 2) return 20;
  return write(2, "own\n", 4) == 4 ? 0 : 21;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const char *what = argv[1];
  if (!strcmp(what, "daemon, early") && take(argv[2])) return 20;
#pragma omp parallel num_threads(2)
  {}
  if (!strcmp(what, "daemon, late") && take(argv[2])) return 21;
  if (!strcmp(what, "small files")) {
    struct rlimit limit = {100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  errno = 77;
  run();
  if (errno != 77) return 22;
  if (strncmp(what, "daemon", 6)) {
    FILE *own = fopen(argv[2], "w");
    if (!own || fputs("own\n", own) < 0 || fclose(own)) return 23;
  }
  if (!strcmp(what, "abrupt")) _exit(7);
  return 7;
}
//--- beside.c
/* beside: loops of a team, as often as the first argument says and with as many threads as the second. Then it writes a file of its own,
   at the third and with as many KiB as the fourth says: the recording is on the same file system. Where that is 0, it takes all that is
   left of that, in the middle of its loops. Prints how many chunks ran. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EACH = 1000 };
static double data[EACH];

static void run(long times, int threads) {
  for (long t = 0; t < times; t++)
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int i = 0; i < EACH; i++) data[i] += i;
}

int main(int argc, char **argv) {
  static char piece[1024] = "The program's own.\n";
  if (argc < 5) return 2;
  long half = atol(argv[1]) / 2;
  int threads = atoi(argv[2]), number = atoi(argv[4]);
  run(half, threads);
  int file = open(argv[3], O_CREAT | O_WRONLY, 0666);
  while (number == 0 && write(file, piece, sizeof piece) > 0) ;
  if (number == 0 && errno != ENOSPC) return 5;
  run(half, threads);
  for (int k = 0; k < number; k++)
    if (write(file, piece, sizeof piece) != sizeof piece) {
      perror("the program's own file");
      return 3;
    }
  if (fsync(file) || close(file)) return 4;
  printf("%ld\n", 2 * half * EACH);
  return 0;
}
//--- linker_malloc.c
/* linker_malloc: its malloc takes a lock, which a thread also holds while it walks through what is loaded, and libraries come and go
   meanwhile. Whoever allocates while the dynamic linker's lock is held waits for ever. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);

static pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER;
static __thread int is_inside;
static int is_over;
static volatile long sink;

void *malloc(size_t size) {
  void *memory;
  if (is_inside) return __libc_malloc(size);
  is_inside = 1;
  pthread_mutex_lock(&heap);
  memory = __libc_malloc(size);
  pthread_mutex_unlock(&heap);
  is_inside = 0;
  return memory;
}

static int count(struct dl_phdr_info *info, size_t size, void *of) {
  (void)info;
  (void)size;
  ++*(long *)of;
  return 0;
}

static void *walks(void *unused) {
  long found = 0;
  is_inside = 1;
  while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&heap);
    dl_iterate_phdr(count, &found);
    pthread_mutex_unlock(&heap);
  }
  return unused;
}

static void *loads(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
    void *library = dlopen("libutil.so.1", RTLD_NOW);
    if (library) dlclose(library);
    usleep(1000);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  alarm(60);
  pthread_create(&threads[0], NULL, walks, NULL);
  pthread_create(&threads[1], NULL, loads, NULL);
#pragma omp parallel num_threads(2)
  for (long i = 0; i < 300000000; i++) sink = i;
  __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("done\n");
  return 0;
}
//--- locked_malloc.c
/* locked_malloc N: its malloc takes a lock of OpenMP's, as some allocators do, also for what a tool allocates. Loops, locks and tasks,
   each N times; prints how often the program itself took the lock. */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  void *of_the_runtime;
} a_lock;
void omp_init_lock(a_lock *);
void omp_set_lock(a_lock *);
void omp_unset_lock(a_lock *);
extern void *__libc_malloc(size_t);

static a_lock heap, own;
static int is_ready;
static __thread int is_inside;

void *malloc(size_t size) {
  void *memory;
  if (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE) || is_inside) return __libc_malloc(size);
  is_inside = 1;
  omp_set_lock(&heap);
  memory = __libc_malloc(size);
  omp_unset_lock(&heap);
  is_inside = 0;
  return memory;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100;
  long sum = 0, tasks = 0;
  omp_init_lock(&heap);
  omp_init_lock(&own);
  __atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);
  for (int region = 0; region < 20; region++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1)
      for (int i = 0; i < n; i++) {
        free(malloc(16 + i % 7));
        omp_set_lock(&own);
        sum++;
        omp_unset_lock(&own);
      }
#pragma omp single
      for (int i = 0; i < n; i++) {
#pragma omp task
#pragma omp atomic
        tasks++;
      }
    }
  }
  __atomic_store_n(&is_ready, 0, __ATOMIC_RELEASE);
  if (sum != 20L * n || tasks != 20L * n) return 1;
  printf("%ld\n", sum);
  return 0;
}
