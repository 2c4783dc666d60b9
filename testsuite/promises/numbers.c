// Loops that learn which thread runs them, and keep that where it is not seen at once; loops whose iterations wait.

typedef unsigned long size;
int omp_get_thread_num(void);
int omp_get_ancestor_thread_num(int);
int printf(const char *, ...);
int snprintf(char *, size, const char *, ...);
int pthread_barrier_wait(void *);

struct known {
  int other, number;
};
struct function {
  long (*of)(int, void *);
  void *with;
};
long integrate(struct function *);
static long last[64];
static _Thread_local long calls;

static void store_number(int *to) { *to = omp_get_thread_num(); }

static long count(int i, void *with) {
  (void)with;
  return i + ++calls;
}

void in_variables(int n) {
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) {
    struct known known;
    known.other = 0;
    known.number = omp_get_thread_num();
    last[known.number] = i;
  }
#pragma omp parallel
  {
    int numbers[1];
    numbers[0] = omp_get_thread_num();
#pragma omp for schedule(static) /* bound thread_number */
    for (int i = 0; i < n; i++) last[numbers[0]] = i;
  }
}

void in_shared_memory(int n, int *owner) {
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) {
    owner[i] = omp_get_thread_num();
    last[owner[i]] = i;
  }
}

void by_other_ways(int n) {
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) {
    int number;
    store_number(&number);
    last[number] = i;
  }
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) {
    int k;
    switch (omp_get_thread_num()) {
    case 0: k = 0; break;
    case 1: k = 1; break;
    default: k = 2;
    }
    last[k] = i;
  }
#pragma omp parallel
  {
    int k = 5;
    if (omp_get_thread_num() > 0) k = 1;
#pragma omp for schedule(static) /* bound thread_number */
    for (int i = 0; i < n; i++) last[k] = i;
  }
}

void says_who_begins(int n, long *d) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0 && last[0]) printf("begins\n");
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < n; i++) d[i] = i;
  }
}

void in_a_region_within(int n) {
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(2)
    last[omp_get_ancestor_thread_num(1)] = i;
  }
}

void in_regions_within(int n, long *d) {
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(1)
    d[i] = ++calls;
  }
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(2)
    d[2 * i + omp_get_thread_num()] = i;
  }
}

void calls_back(int n, long *d) {
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) {
    struct function function = {count, &i};
    d[i] = integrate(&function);
  }
}

void by_its_stack(int n) {
  static size who[64];
#pragma omp parallel for schedule(static) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    char here = 0;
    size place = (size)&here >> 16;
    int t = 0;
    while (who[t] != place) t++;
    last[t] = i + here;
  }
}

int is_the_largest_so_far(const int *x, int n, int *d) {
  int most = -1;
#pragma omp parallel for schedule(static) reduction(max : most) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    if (x[i] > most) {
      most = x[i];
      d[i] = 1;
    }
  }
  return most;
}

int is_the_first(int n, int *d) {
  int count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    int first = 0;
    if (count == 0) first = 1;
    d[i] = first;
    count++;
  }
  return count;
}

static long step_to(long sum, int i, long *d) {
  d[i] = sum;
  return sum + i;
}

long calls_with_a_part(int n, long *d) {
  long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) /* bound own_memory */
  for (int i = 0; i < n; i++) sum = step_to(sum, i, d);
  return sum;
}

void hands_on(int n, int *turn) {
#pragma omp parallel for schedule(static, 1) /* bound waiting */
  for (int i = 0; i < n; i++) {
    int now;
    do {
#pragma omp atomic read seq_cst
      now = *turn;
    } while (now != i);
#pragma omp atomic write seq_cst
    *turn = i + 1;
  }
}

void hands_on_what_is_dispatched(int n, int *turn) {
#pragma omp parallel for schedule(dynamic) /* bound waiting */
  for (int i = 0; i < n; i++)
    while (__atomic_load_n(turn, __ATOMIC_ACQUIRE) < i / 2);
}

void meets(int n, void *barrier) {
#pragma omp parallel for schedule(static) /* bound waiting */
  for (int i = 0; i < n; i++) pthread_barrier_wait(barrier);
}

void reads_once(int n, int *limit, long *d) {
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) {
    int now;
#pragma omp atomic read
    now = *limit;
    for (int j = 0; j < now; j++) d[i] += j;
  }
}
