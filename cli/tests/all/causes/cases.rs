//! The programs.

/// What all programs begin with: work that no compiler leaves out.
pub const WORK: &str = "#include <stdio.h>
#include <stdlib.h>
void omp_set_max_active_levels(int); int omp_get_thread_num(void); int prctl(int, ...);
#include <unistd.h>
void omp_init_lock(void *); void omp_set_lock(void *); void omp_unset_lock(void *);
void omp_init_nest_lock(void *); void omp_set_nest_lock(void *); void omp_unset_nest_lock(void *);
static void *lock, *nest;
static void work(long n) { volatile double x = 0; for (long i = 0; i < n; i++) x += i; }
int main(void) {
  omp_init_lock(&lock); omp_init_nest_lock(&nest);
";

/// A program, and what the first cause says: its name or a part of its sentence; of several between `|`, one.
pub struct Case {
    pub name: &'static str,
    pub body: &'static str,
    pub cause: &'static str,
}

pub const CASES: [Case; 25] = [
    Case {
        name: "critical",
        body: "#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2000; i++) {
#pragma omp critical(sum)
    work(40000);
  }",
        cause: "critical section at app.c:",
    },
    Case {
        name: "lock",
        body: "#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2000; i++) { omp_set_lock(&lock); work(40000); omp_unset_lock(&lock); }",
        cause: "the lock at app.c:",
    },
    Case {
        name: "ordered",
        body: "#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
  for (int i = 0; i < 2000; i++) {
#pragma omp ordered
    work(40000);
  }",
        cause: "ordered section at app.c:",
    },
    Case {
        name: "locks outside of loops",
        body: "#pragma omp parallel num_threads(2)
  for (int i = 0; i < 1000; i++) { omp_set_lock(&lock); work(40000); omp_unset_lock(&lock); }",
        cause: "locks outside of loops",
    },
    Case {
        name: "serial",
        body: "  work(80000000);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 200; i++) work(40000);",
        cause: "serial code",
    },
    Case {
        name: "single",
        body: "#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp single
    work(8000000);
#pragma omp for
    for (int j = 0; j < 20; j++) work(10000);
  }",
        cause: "single constructs",
    },
    Case {
        name: "sections",
        body: "#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp sections
    {
#pragma omp section
      work(8000000);
#pragma omp section
      work(100);
    }
  }",
        cause: "at the barriers after sections",
    },
    Case {
        name: "a region's own code",
        body: "#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
    work(omp_get_thread_num() == 0 ? 8000000 : 100);
#pragma omp barrier
  }",
        cause: "code of parallel regions",
    },
    Case {
        name: "a chain of tasks",
        body: "#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task
    work(8000000);
#pragma omp taskwait
  }",
        cause: "tasks",
    },
    Case {
        name: "a nestable lock",
        body: "#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2000; i++) { omp_set_nest_lock(&nest); work(40000); omp_unset_nest_lock(&nest); }",
        cause: "nestable lock at app.c:",
    },
    Case {
        name: "a critical section in some iterations",
        body: "#pragma omp parallel for schedule(dynamic, 4) num_threads(2)
  for (int i = 0; i < 4000; i++)
    if (i % 2) {
#pragma omp critical
      work(40000);
    }",
        cause: "critical section at app.c:",
    },
    Case {
        name: "one of two threads in a team",
        body: "#pragma omp parallel num_threads(2)
  work(1000);
  for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(1)
    work(4000000);
  }",
        cause: "threads without a region",
    },
    Case {
        name: "a thread that comes late",
        body: "#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
    if (omp_get_thread_num() == 1) usleep(20000);
#pragma omp barrier
  }",
        cause: "code of parallel regions",
    },
    Case {
        name: "one task that is longer than all others",
        body: "#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 40; i++) {
#pragma omp task firstprivate(i)
    work(i == 39 ? 80000000 : 10000);
  }",
        cause: "single constructs|one task of app.c:",
    },
    Case {
        name: "an iteration that is longer than all others",
        body: "#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < 40; i++) work(i == 39 ? 80000000 : 400000);",
        cause: "app.c:11",
    },
    Case {
        name: "serial code between regions",
        body: "  for (int i = 0; i < 40; i++) {
    work(2000000);
#pragma omp parallel for num_threads(2)
    for (int j = 0; j < 20; j++) work(10000);
  }",
        cause: "serial code",
    },
    Case {
        name: "imbalance",
        body: "#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 400; i++) work(1000L * i);",
        cause: "app.c:11",
    },
    Case {
        name: "dealing",
        body: "  double *a = calloc(1 << 20, 8);
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < 1 << 20; i++) a[i] += i;",
        cause: "including dealing them",
    },
    // Pages of 4 KiB wherever the test runs (41 is PR_SET_THP_DISABLE): what a large one costs is not told from system calls.
    Case {
        name: "memory that is touched for the first time",
        body: "  prctl(41, 1L, 0L, 0L, 0L);
  char *a = calloc(512L << 20, 1);
#pragma omp parallel for num_threads(2)
  for (long i = 0; i < 512L << 20; i += 4096) a[i] = 1;",
        cause: "page faults",
    },
    Case {
        name: "memory that is allocated anew each time",
        body: "  prctl(41, 1L, 0L, 0L, 0L);
  for (int k = 0; k < 12; k++) {
    char *a = calloc(48L << 20, 1);
#pragma omp parallel for num_threads(2)
    for (long i = 0; i < 48L << 20; i += 4096) a[i] = 1;
    free(a);
  }",
        cause: "page faults",
    },
    Case {
        name: "fewer tasks of a loop than threads",
        body: "#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp taskloop num_tasks(1)
    for (int j = 0; j < 40; j++) work(200000);
  }",
        cause: "there are too few",
    },
    // As Intel's compilers have an atomic operation on what processors have none for; clang asks another library.
    Case {
        name: "an atomic that needs a lock",
        body: "  void __kmpc_atomic_float10_add(void *, int, long double *, long double);
  int __kmpc_global_thread_num(void *);
  static long double sum;
#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < 4000000; i++) __kmpc_atomic_float10_add(0, __kmpc_global_thread_num(0), &sum, 1);",
        cause: "the atomic at",
    },
    Case {
        name: "a lock in tasks",
        body: "#pragma omp parallel num_threads(2)
  for (int i = 0; i < 1000; i++) {
#pragma omp task
    { omp_set_lock(&lock); work(80000); omp_unset_lock(&lock); }
  }",
        cause: "the lock at app.c:",
    },
    Case {
        name: "ordered, dealt on demand",
        body: "#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < 4000; i++) {
#pragma omp ordered
    work(40000);
  }",
        cause: "ordered section at app.c:",
    },
    Case {
        name: "masked code and a barrier",
        body: "#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp master
    work(8000000);
#pragma omp barrier
  }",
        cause: "code of parallel regions",
    },
];
