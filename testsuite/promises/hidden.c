/* What threads keep for themselves and do not reach by its name, or leave from one iteration to the next. */

#include <stdio.h>
#include <stdlib.h>

void omp_set_nest_lock(void **), omp_unset_nest_lock(void **);
void *omp_aligned_alloc(size_t, size_t, unsigned long);
int __kmpc_global_thread_num(void *);

struct holder {
  double *held;
};
static void hold(struct holder *holder, double *memory) { holder->held = memory; }
static double *back(double *memory) { return memory; }
static const int *smaller(const int *a, const int *b) { return *a < *b ? a : b; }
static void bounds(int *from, int *to) { *from = 0, *to = 100; }

void through_a_pointer(double *b) {
#pragma omp parallel
  {
    double mine[100], *pointer = mine;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) pointer[i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = pointer[i];
  }
}

void through_a_member(double *b) {
#pragma omp parallel
  {
    double mine[100];
    struct holder holder = {mine};
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) holder.held[i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = holder.held[i];
  }
}

void through_a_function_that_keeps_it(double *b) {
#pragma omp parallel
  {
    double mine[100];
    struct holder holder;
    hold(&holder, mine);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) holder.held[i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = holder.held[i];
  }
}

void through_a_function_that_returns_it(double *b) {
#pragma omp parallel
  {
    double mine[100], *pointer = back(mine);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) pointer[i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = pointer[i];
  }
}

void of_functions_that_keep_nothing(int n, double *a, double *b) {
#pragma omp parallel
  {
    int from, to, most = n;
    bounds(&from, &to);
    to = *smaller(&to, &most);
#pragma omp for schedule(static) /* free */
    for (int i = from; i < to; i++) a[i] = i;
#pragma omp for schedule(static) /* free */
    for (int i = from; i < to; i++) b[i] = a[i];
  }
}

void of_one_iteration(double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) {
      double mine[2] = {i, i}, *pointer = mine;
      a[i] = pointer[1];
    }
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) {
      double mine[2] = {i, a[i]}, *pointer = mine;
      b[i] = pointer[1];
    }
  }
}

void given_away_in_a_loop(int n, double **table, double *b) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) table[i] = &mine;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) mine = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) b[i] = *table[i];
  }
}

void on_the_stack(int n, double *b) {
#pragma omp parallel
  {
    double *mine = __builtin_alloca(n * sizeof *mine);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) mine[i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) b[i] = mine[i];
  }
}

void from_the_runtime(double *b) {
#pragma omp parallel
  {
    double *mine = omp_aligned_alloc(64, 100 * sizeof *mine, 1);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) mine[i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = mine[i];
  }
}

static double rows[300][100];

void by_the_number_of_the_runtime(double *b) {
#pragma omp parallel
  {
    int me = __kmpc_global_thread_num(0);
#pragma omp for schedule(static) /* bound thread_number */
    for (int i = 0; i < 100; i++) rows[me][i] = i;
#pragma omp for schedule(static) /* bound thread_number */
    for (int i = 0; i < 100; i++) b[i] = rows[me][i];
  }
}

void by_what_it_read(FILE *file, double *b) {
#pragma omp parallel
  {
    int me = fgetc(file);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) rows[me][i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = rows[me][i];
  }
}

void locks_over_a_barrier(void **locks) {
#pragma omp parallel
  {
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) omp_set_nest_lock(&locks[i]);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) omp_unset_nest_lock(&locks[i]);
  }
}

void locks_in_an_iteration(void **locks, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) {
      omp_set_nest_lock(&locks[i % 7]);
      a[i % 7] += i;
      omp_unset_nest_lock(&locks[i % 7]);
    }
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) b[i] = a[i % 7];
  }
}

void goes_on_from_the_iteration_before(double *b) {
  int is_first = 1;
  double value = 0;
#pragma omp parallel for schedule(static) firstprivate(is_first, value) /* bound own_memory */
  for (int i = 0; i < 100; i++) {
    value = is_first ? 3 * i : value + 3;
    is_first = 0;
    b[i] = value;
  }
}

void goes_on_in_a_region(double *a, double *b) {
#pragma omp parallel
  {
    int is_first = 1;
    double value = 0;
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) a[i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) {
      value = is_first ? 3 * a[i] : value + 3;
      is_first = 0;
      b[i] = value;
    }
  }
}

void begins_anew_each_time(int value, double *b) {
#pragma omp parallel for schedule(static) firstprivate(value) /* free */
  for (int i = 0; i < 100; i++) {
    value = i;
    b[i] = value;
  }
}

void adds_up(double *b, double *results) {
  double sum = 0, last = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) lastprivate(last) /* free */
  for (int i = 0; i < 100; i++) {
    sum += b[i];
    last = b[i];
  }
  results[0] = sum, results[1] = last;
}
