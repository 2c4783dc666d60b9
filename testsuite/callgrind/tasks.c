// The creation of tasks whose instructions are counted, in two lengths: the difference is that of the tasks alone.
// In a team of one they run at once; in a team of two they wait in a queue until all have been counted, while the
// other thread touches none.

#include <sched.h>

#define FEW 20
#define MANY 60 /* with FEW, less than a queue holds */
#define NOT_INLINED __attribute__((noinline))

int omp_get_thread_num(void);

void run(void);
NOT_INLINED void run(void) { __asm__ volatile(""); }

NOT_INLINED void create(int tasks);
NOT_INLINED void create(int tasks) {
  for (int i = 0; i < tasks; i++) {
#pragma omp task
    run();
  }
}

#define COUNTED(name, tasks)                                                                       \
  NOT_INLINED static void name(void) {                                                             \
    create(tasks);                                                                                 \
    __asm__ volatile(""); /* no tail call: tasks are created from here */                          \
  }
COUNTED(few_at_once, FEW)
COUNTED(many_at_once, MANY)
COUNTED(few_deferred, FEW)
COUNTED(many_deferred, MANY)

static int done;

int main(void) {
#pragma omp parallel num_threads(1)
  {
    create(2 * (FEW + MANY)); // what only first tasks do: binding symbols, getting memory
    few_at_once();
    many_at_once();
  }
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    create(2 * (FEW + MANY));
#pragma omp taskwait
    few_deferred();
    many_deferred();
#pragma omp taskwait
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  } else {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) sched_yield();
  }
  return 0;
}
