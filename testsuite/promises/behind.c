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
