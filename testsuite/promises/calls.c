/* What functions may rely on that a region calls. */

void unknown(void);
double asked(void);
static int plain(int i) { return i * 3; }

static void has_a_loop(int n, double *a) {
#pragma omp for schedule(static) /* bound orphaned */
  for (int i = 0; i < n; i++) a[i] += i;
}

void calls_unknown(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) /* bound call */
    for (int i = 0; i < n; i++) a[i] = i;
    unknown();
#pragma omp for schedule(static) /* bound call */
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}

void asks_for_what_is_no_bound(int n, double *a, double *b) {
#pragma omp parallel
  {
    a[0] = asked();
#pragma omp for schedule(static) /* bound call */
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}

void calls_plain(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < n; i++) a[i] = i;
    int k = plain(n);
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < n; i++) b[i] = a[i] + k;
  }
}

void calls_a_loop(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) /* bound call */
    for (int i = 0; i < n; i++) a[i] = i;
    has_a_loop(n, a);
#pragma omp for schedule(static) /* bound call */
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}

void calls_through_a_pointer(int n, double *a, double *b, void (*called)(void)) {
#pragma omp parallel
  {
#pragma omp for schedule(static) /* bound call */
    for (int i = 0; i < n; i++) a[i] = i;
    called();
#pragma omp for schedule(static) /* bound call */
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}
