#include <stdio.h>
#include <stdlib.h>
void omp_set_max_active_levels(int); int omp_get_thread_num(void); int prctl(int, ...);
#include <unistd.h>
void omp_init_lock(void *); void omp_set_lock(void *); void omp_unset_lock(void *);
void omp_init_nest_lock(void *); void omp_set_nest_lock(void *); void omp_unset_nest_lock(void *);
static void *lock, *nest;
static void work(long n) { volatile double x = 0; for (long i = 0; i < n; i++) x += i; }
int main(void) {
  omp_init_lock(&lock); omp_init_nest_lock(&nest);
//= critical => critical section at app.c:
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2000; i++) {
#pragma omp critical(sum)
    work(40000);
  }
//= lock => the lock at app.c:
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2000; i++) { omp_set_lock(&lock); work(40000); omp_unset_lock(&lock); }
//= ordered => ordered section at app.c:
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
  for (int i = 0; i < 2000; i++) {
#pragma omp ordered
    work(40000);
  }
//= locks outside of loops => locks outside of loops
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 1000; i++) { omp_set_lock(&lock); work(40000); omp_unset_lock(&lock); }
//= serial => serial code
  work(80000000);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 200; i++) work(40000);
//= single => single constructs
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp single
    work(8000000);
#pragma omp for
    for (int j = 0; j < 20; j++) work(10000);
  }
//= a single that sleeps => on a core, and
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp single
    usleep(8000);
  }
//= neighbours => lines of the cache that neighbours share
  static char near[1 << 22];
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 1 << 22; i++) near[i]++;
//= sections => so divide the longest ones
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp sections
    {
#pragma omp section
      work(8000000);
#pragma omp section
      work(100);
    }
  }
//= a region's own code => waiting at barriers in main
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
    work(omp_get_thread_num() == 0 ? 8000000 : 100);
#pragma omp barrier
  }
//= a chain of tasks => tasks
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task
    work(8000000);
#pragma omp taskwait
  }
//= a nestable lock => nestable lock at app.c:
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2000; i++) { omp_set_nest_lock(&nest); work(40000); omp_unset_nest_lock(&nest); }
//= a critical section in some iterations => critical section at app.c:
#pragma omp parallel for schedule(dynamic, 4) num_threads(2)
  for (int i = 0; i < 4000; i++)
    if (i % 2) {
#pragma omp critical
      work(40000);
    }
//= one of two threads in a team => threads without a region
#pragma omp parallel num_threads(2)
  work(1000);
  for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(1)
    work(4000000);
  }
//= a thread that comes late => off one (files
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
    if (omp_get_thread_num() == 1) usleep(20000);
#pragma omp barrier
  }
//= one task that is longer than all others => single constructs|one task of app.c:
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 40; i++) {
#pragma omp task firstprivate(i)
    work(i == 39 ? 80000000 : 10000);
  }
//= an iteration that is longer than all others => app.c:11
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < 40; i++) work(i == 39 ? 80000000 : 400000);
//= imbalance => app.c:11
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 400; i++) work(1000L * i);
//= dealing => including dealing them
  double *a = calloc(1 << 20, 8);
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < 1 << 20; i++) a[i] += i;
//= memory that is touched for the first time => page faults
// Pages of 4 KiB wherever the test runs (41 is PR_SET_THP_DISABLE): what a large one costs is not told from system calls.
  prctl(41, 1L, 0L, 0L, 0L);
  char *a = calloc(512L << 20, 1);
#pragma omp parallel for num_threads(2)
  for (long i = 0; i < 512L << 20; i += 4096) a[i] = 1;
//= memory that is allocated anew each time => page faults
  prctl(41, 1L, 0L, 0L, 0L);
  for (int k = 0; k < 12; k++) {
    char *a = calloc(48L << 20, 1);
#pragma omp parallel for num_threads(2)
    for (long i = 0; i < 48L << 20; i += 4096) a[i] = 1;
    free(a);
  }
//= fewer tasks of a loop than threads => there are too few
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp taskloop num_tasks(1)
    for (int j = 0; j < 40; j++) work(200000);
  }
//= an atomic that needs a lock => the atomic at
// As Intel's compilers have an atomic operation on what processors have none for; clang asks another library.
  void __kmpc_atomic_float10_add(void *, int, long double *, long double);
  int __kmpc_global_thread_num(void *);
  static long double sum;
#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < 4000000; i++) __kmpc_atomic_float10_add(0, __kmpc_global_thread_num(0), &sum, 1);
//= a lock in tasks => the lock at app.c:
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 1000; i++) {
#pragma omp task
    { omp_set_lock(&lock); work(80000); omp_unset_lock(&lock); }
  }
//= a lock inside rand => in the system's kernel|core
  unsigned drawn = 0;
#pragma omp parallel for reduction(+ : drawn) num_threads(2)
  for (int i = 0; i < 30000000; i++) drawn += rand();
  if (drawn == 1) return 1;
