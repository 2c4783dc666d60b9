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
