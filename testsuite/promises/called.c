// Loops whose iterations call what the loop does not name, or go by the thread without asking OpenMP for its number.

typedef unsigned long size;
void qsort(void *, size, size, int (*)(const void *, const void *));
void omp_set_num_threads(int);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
void omp_set_lock(void *);
void omp_unset_lock(void *);
unsigned long pthread_self(void);
int printf(const char *, ...);
int feclearexcept(int);
int fetestexcept(int);

static _Thread_local long calls;
static long first, others;

static int compare(const void *a, const void *b) {
  calls++;
  return *(const int *)a - *(const int *)b;
}

static long counts(int i) { return ++calls * 100 + i; }
long (*by_address)(int) = counts;
__attribute__((weak)) long may_be_replaced(int i) { return ++calls * 100 + i; }

void hands_a_function_over(int (*rows)[4], int n) {
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) qsort(rows[i], 4, sizeof(int), compare);
}

void calls_by_an_address(long *d, int n) {
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) d[i] = by_address(i);
}

void calls_what_may_be_replaced(long *d, int n) {
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) d[i] = may_be_replaced(i);
}

void sets_its_tasks_threads(long *d, int n) {
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) {
    d[i] = omp_get_max_threads();
    omp_set_num_threads(i + 1);
  }
}

void asks_the_system(long *d, int n) {
  unsigned long self = pthread_self();
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) d[i] = self == pthread_self() ? ++first : ++others;
}

void writes_as_its_number_says(long *d, int n) {
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) {
    if (omp_get_thread_num() == 0)
      d[i] = ++first;
    else
      d[i] = ++others;
  }
}

void takes_as_long_as_its_number_says(volatile double *d, int n) {
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) {
    double s = i;
    int times = omp_get_thread_num() == 1 ? 12 : 6;
    for (int j = 0; j < times; j++) s = s * 0.5 + j;
    d[0] = s;
  }
}

void says_how_far_it_is(long *d, int n) {
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) {
    d[i] = i;
    if (omp_get_thread_num() == 0) printf("%d\n", i);
  }
}

void keeps_a_lock(void *lock, int n) {
#pragma omp parallel for schedule(static) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    if (i % 2 == 0) omp_set_lock(lock);
    first++;
    if (i % 2 == 1) omp_unset_lock(lock);
  }
}

long uses_a_part_of_a_sum(long *d, int n) {
  long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    sum += i;
    d[i] = sum;
  }
  return sum;
}

long combines_by_something_else(int n) {
  long all = 0;
#pragma omp parallel for schedule(static) reduction(^ : all) /* bound own_memory */
  for (int i = 0; i < n; i++) all = all * 3 + i;
  return all;
}

double combines_in_many_ways(const double *x, const long *k, int n) {
  double sum = 0, product = 1, least = 1e9;
  long bits = 0;
  int all = 1;
#pragma omp parallel for schedule(static) reduction(+ : sum) reduction(* : product) reduction(min : least) reduction(| : bits) reduction(&& : all) /* free */
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
    sum -= 1;
    product *= x[i];
    if (x[i] < least) least = x[i];
    bits |= k[i];
    all = all && k[i] > 0;
  }
  return sum + product + least + (double)bits + all;
}

int asks_what_is_left_behind(const double *x, double *y, int n) {
  feclearexcept(1);
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) y[i] = 1 / x[i];
  return fetestexcept(1);
}
