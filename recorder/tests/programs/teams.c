/* Nested regions on the inside of loops, and threads that come and go. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Not every clang of a distribution comes with an omp.h. */
int omp_get_thread_num(void);
void omp_set_max_active_levels(int levels);

static double data[64][1000];

static void nested(int depth) {
#pragma omp parallel for schedule(static, 2) num_threads(2)
  for (int i = 0; i < 8; i++) {
    data[omp_get_thread_num()][i] += depth;
    if (depth > 0) nested(depth - 1);
  }
}

static void *one(void *number) {
  int mine = (int)(long)number % 64;
#pragma omp parallel for schedule(static, 10) num_threads(1)
  for (int i = 0; i < 100; i++) data[mine][i] += i;
  return NULL;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 200;
  omp_set_max_active_levels(3);
  nested(2);
  for (long t = 0; t < threads; t++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, one, (void *)t) || pthread_join(thread, NULL)) return 1;
  }
  /* Teams of other sizes: workers learn late that their region has ended. */
  for (int size = 1; size <= 4; size++)
#pragma omp parallel for schedule(static, 5) num_threads(size)
    for (int i = 0; i < 100; i++) data[size][i] += i;
  return 0;
}
