// Who runs what, learned of functions that are no part of OpenMP, by their addresses, and behind the region; and waiting under a lock.

typedef unsigned long size;
int omp_get_thread_num(void);

void omp_set_default_device(int);
int omp_get_default_device(void);
int pthread_sigmask(int, const void *, void *);
void *tss_get(unsigned);
int fegetexceptflag(void *, int);
int fetestexcept(int);
long read(int, void *, size);
static long last[64];
static int flag;

static int (*asks)(void) = omp_get_thread_num;
void set_asks(int (*other)(void)) { asks = other; }

void by_its_address(int n) {
#pragma omp parallel for schedule(static, 4) /* bound thread_number */
  for (int i = 0; i < n; i++) last[i] = asks();
}

void states(int n) {
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) {
    last[i] = omp_get_default_device();
    omp_set_default_device(i);
  }
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) {
    size before[16], own[16] = {1};
    pthread_sigmask(0, own, before);
    last[i] = before[0];
  }
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) last[i] = (long)tss_get(1);
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) {
    unsigned short flags;
    fegetexceptflag(&flags, 61);
    last[i] = flags;
  }
}

__attribute__((noinline)) static size place(void) {
  volatile int local = 0;
  return (size)&local & ~0xffffful;
}

void places(int n) {
#pragma omp parallel for schedule(static) /* bound own_memory */
  for (int i = 0; i < n; i++) last[i] = place();
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) {
    volatile int local = i;
    last[i] = (size)&local & 15;
  }
}

void locks(int n) {
#pragma omp parallel for schedule(static, 2) /* bound waiting */
  for (int i = 0; i < n; i++) {
    for (int set = 0; !set && i != 11;) {
#pragma omp critical
      set = flag;
    }
#pragma omp critical
    flag |= i == 11;
  }
#pragma omp parallel for schedule(static, 2) /* free */
  for (int i = 0; i < n; i++) {
    long sum = 0;
    for (int j = 0; j < i; j++) sum += j;
#pragma omp critical
    last[0] += sum;
  }
}

void waits_for_a_pipe(int n, int pipe) {
#pragma omp parallel for schedule(static, 2) /* bound waiting */
  for (int i = 0; i < n; i++) last[i] = read(pipe, &flag, 1);
}

__attribute__((noinline)) static int are_raised(void) { return fetestexcept(4); }

int asked_behind(int n, double *a) {
#pragma omp parallel for schedule(static, 4) /* bound threadprivate */
  for (int i = 0; i < n; i++) a[i] = 1 / a[i];
  return are_raised();
}

int asked_before(int n, double *a) {
  int before = are_raised();
#pragma omp parallel for schedule(static, 4) /* free */
  for (int i = 0; i < n; i++) a[i] = 1 / a[i];
  return before;
}
