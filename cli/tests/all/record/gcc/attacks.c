/* What a program can do with or to its runtime, by the first word. With LIBRARY: what it loads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long loop(void) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic, 10) num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 100; i++) sum += i;
  return sum;
}

#ifdef LIBRARY
long loop_of_library(void) { return loop(); }
#ifdef AT_THE_END
__attribute__((destructor)) static void end(void) { printf("end %ld\n", loop()); }
#endif
#elif defined(LINKED)
long loop_of_library(void);
int main(void) {
  printf("%ld\n", loop_of_library());
  return 0;
}
#else
#ifndef WITHOUT
static void on_the_stack(void) {
#pragma omp parallel num_threads(2)
  {
    volatile char large[6 << 20];
    for (unsigned i = 0; i < sizeof large; i += 4096) large[i] = 1;
  }
}

static void settings(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  printf("%d %d %d %d %d %d\n", (int)kind & 0xff, chunk, omp_get_max_threads(), omp_get_dynamic(),
         omp_get_max_active_levels(), omp_get_thread_limit());
}

static void fork_alone(void) {
  fflush(stdout);
  if (!fork()) {
    omp_set_num_threads(1);
    printf("child %d\n", omp_get_max_threads());
    exit(0);
  }
  wait(0);
}

#endif

static void load(const char *library, int flags) {
  void *found = dlopen(library, RTLD_NOW | flags);
  if (!found) {
    puts(dlerror());
    exit(2);
  }
  printf("%ld\n", ((long (*)(void))dlsym(found, "loop_of_library"))());
}

int main(int count, char **words) {
  const char *word = count > 1 ? words[1] : "";
#ifndef WITHOUT
  if (!strcmp(word, "stack")) on_the_stack();
  if (!strcmp(word, "settings")) settings();
  if (!strcmp(word, "nested")) omp_set_nested(1);
  if (!strcmp(word, "fork")) fork_alone();
  printf("%ld\n", loop());
#endif
  if (!strcmp(word, "deep")) load(words[2], RTLD_DEEPBIND);
  if (!strcmp(word, "load")) load(words[2], 0);
  if (!strcmp(word, "variable")) printf("%s\n", getenv(words[2]) ? getenv(words[2]) : "not set");
  return count > 3 ? atoi(words[3]) : 0;
}
#endif
