//--- behind.c
/* What code behind a loop may rely on. */

#include <stdlib.h>

double largest;

void critical_behind(int n, double *a) {
#pragma omp parallel
  {
    double known = 0;
#pragma omp for schedule(static, 4) nowait /* bound nowait */
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp critical
    known = largest;
  }
}

void critical_behind_barrier(int n, double *a) {
#pragma omp parallel
  {
    double known = 0;
#pragma omp for schedule(static, 4) /* free */
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp critical
    known = largest;
  }
}

void load_behind(int n, double *a) {
#pragma omp parallel
  {
    double known = 0;
#pragma omp for schedule(static, 4) nowait /* bound nowait */
    for (int i = 0; i < n; i++) a[i] = i;
    known = a[0];
  }
}

void load_behind_barrier(int n, double *a) {
#pragma omp parallel
  {
    double known = 0;
#pragma omp for schedule(static, 4) nowait /* free */
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp barrier
    known = a[0];
  }
}

void store_behind(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait /* bound nowait */
    for (int i = 0; i < n; i++) a[i] = i;
    b[0] = 1;
  }
}

void memory_given_back(int n, double *a) {
#pragma omp parallel
  {
    double *own = malloc(sizeof *own);
#pragma omp for schedule(static) nowait /* free */
    for (int i = 0; i < n; i++) {
      own[0] = i;
      a[i] = own[0];
    }
    free(own);
  }
}

void memory_that_the_loop_found(int n, void **a) {
#pragma omp parallel
  {
    void *last = 0;
#pragma omp for schedule(static) nowait /* bound own_memory */
    for (int i = 0; i < n; i++) last = a[i];
    free(last);
  }
}
//--- calls.c
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
//--- pairs.c
/* What other loops may rely on, seen from both sides. At each loop stands what its record must say; a near miss follows each case. */

void pair(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait /* mapped 2 */
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp for schedule(static) /* mapped 2 */
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}

void no_pair(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}

void barrier_written_out(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait /* free */
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp barrier
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}

void barrier_on_one_way_only(int n, int waits, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait /* mapped 2 */
    for (int i = 0; i < n; i++) a[i] = i;
    if (waits) {
#pragma omp barrier
    }
#pragma omp for schedule(static) /* mapped 2 */
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}

void chain(int n, double *a, double *b, double *c) {
#pragma omp parallel
  {
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < n; i++) c[i] = 0;
#pragma omp for schedule(static) nowait /* mapped 3 */
    for (int i = 0; i < n; i++) a[i] = c[n - i];
#pragma omp for schedule(static) nowait /* mapped 3 */
    for (int i = 0; i < n; i++) b[i] = a[i];
#pragma omp for schedule(static) nowait /* mapped 3 */
    for (int i = 0; i < n; i++) c[i] = b[i];
  }
}

void around_again(int n, int times, double *a) {
#pragma omp parallel
  for (int k = 0; k < times; k++) {
#pragma omp for schedule(static) nowait /* mapped 1 */
    for (int i = 0; i < n; i++) a[i] += i;
  }
}

void around_with_barrier(int n, int times, double *a) {
#pragma omp parallel
  for (int k = 0; k < times; k++) {
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < n; i++) a[i] += i;
  }
}

void chunked(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4) nowait /* bound pair */
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp for schedule(static, 4) /* bound pair */
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}

void critical_between(int n, double *a, double *b, double *sum) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait /* bound pair */
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp critical
    *sum += 1;
#pragma omp for schedule(static) /* bound pair */
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}

void dealt_behind(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait /* bound nowait */
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp for schedule(dynamic) /* free */
    for (int i = 0; i < n; i++) b[i] = i;
  }
}

void dealt_in_order_behind(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait /* bound nowait */
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp for ordered schedule(dynamic) /* bound 0 */
    for (int i = 0; i < n; i++) b[i] = i;
  }
}

void pair_in_a_region_with_sums(int n, double *a, double *b, double *sum) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static) nowait /* bound pair */
    for (int i = 0; i < n; i++) mine += a[i] = i;
#pragma omp for schedule(static) /* bound pair */
    for (int i = 0; i < n; i++) b[i] = a[i];
#pragma omp atomic
    *sum += mine;
  }
}

void reduction(int n, double *a, double *sum) {
  double all = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) reduction(+ : all) nowait /* free */
    for (int i = 0; i < n; i++) all += a[i];
  }
  *sum = all;
}

void combined(int n, double *a) {
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) a[i] = i;
}
