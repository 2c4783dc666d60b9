/* Arrays of a thread's own that each iteration fills before it reads them, and near misses: how far, and on which way. */

double f(int value);
extern int global;

void fills_all(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) w[j] = f(i + j);
    double sum = 0;
    for (int j = 0; j < 64; j++) sum += w[j] * w[63 - j];
    out[i] = sum + w[i & 63];
  }
}

void fills_all_in_chunks(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static, 7) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) w[j] = f(i + j);
    out[i] = w[i % 64];
  }
}

void declares_it_inside(int n, double *out) {
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) {
    double w[64];
    for (int j = 0; j < 64; j++) w[j] = i + j;
    out[i] = w[i & 63];
  }
}

void fills_all_but_the_last(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 63; j++) w[j] = i + j;
    out[i] = w[63];
    w[63] = i;
  }
}

void reads_one_further(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 32; j++) w[j] = i + j;
    double sum = 0;
    for (int j = 0; j <= 32; j++) sum += w[j];
    out[i] = sum;
  }
}

void reads_what_part_was_filled(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 32; j++) w[j] = i + j;
    double sum = 0;
    for (int j = 1; j <= 31; j++) sum += w[j];
    out[i] = sum;
  }
}

void begins_one_later(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < 64; j++) w[j] = i + j;
    out[i] = w[i & 63];
  }
}

void fills_some(int n, int m, double *out) {
#pragma omp parallel for schedule(static) firstprivate(m) /* free */
  for (int i = 0; i < n; i++) {
    double w[64];
    for (int j = 0; j < m; j++) w[j] = f(i + j);
    double sum = 0;
    for (int j = 0; j < m; j++) sum += w[j];
    out[i] = sum;
  }
}

void fills_as_many_as_shared(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) w[j] = i * j;
    double sum = 0;
    for (int j = 0; j < m; j++) sum += w[j];
    out[i] = sum;
  }
}

void reads_one_further_than_some(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) w[j] = i * j;
    double sum = 0;
    for (int j = 0; j <= m; j++) sum += w[j];
    out[i] = sum;
  }
}

void reads_some_unconditionally(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) w[j] = i * j;
    out[i] = w[0];
  }
}

void reads_some_if_there_are_some(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* free */
  for (int i = 0; i < n; i++) {
    if (m < 1) continue;
    for (int j = 0; j < m; j++) w[j] = i * j;
    out[i] = w[0];
  }
}

void may_have_changed_how_many(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < global; j++) w[j] = i * j;
    f(i);
    double sum = 0;
    for (int j = 0; j < global; j++) sum += w[j];
    out[i] = sum;
  }
}

void changes_how_many(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    int k = m;
    for (int j = 0; j < k; j++) w[j] = i * j;
    k += i;
    double sum = 0;
    for (int j = 0; j < k; j++) sum += w[j];
    out[i] = sum;
  }
}

void fills_if(int n, double *out, int *use) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    if (use[i])
      for (int j = 0; j < 64; j++) w[j] = i + j;
    out[i] = w[i & 63];
  }
}

void fills_the_first_time(int n, double *out) {
  double w[64];
  int first = 1;
#pragma omp parallel for schedule(static) private(w) firstprivate(first) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    if (first)
      for (int j = 0; j < 64; j++) w[j] = i + j;
    first = 0;
    out[i] = w[i & 63];
  }
}

void fills_some_elements(int n, double *out, int *use) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++)
      if (use[j]) w[j] = i + j;
    out[i] = w[i & 63];
  }
}

void continues_before_the_store(int n, double *out, int *use) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) {
      if (use[j]) continue;
      w[j] = i + j;
    }
    out[i] = w[i & 63];
  }
}

void fills_either_way(int n, double *out, int *use) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) {
      w[j] = i + j;
      if (use[j]) continue;
      w[j] *= 2;
    }
    out[i] = w[i & 63];
  }
}

void breaks_off(int n, double *out, int *use) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) {
      w[j] = i + j;
      if (use[j]) break;
    }
    out[i] = w[i & 63];
  }
}

void goes_on_only_where_it_did_not_break_off(int n, double *out, int *use) {
  double w[64];
  int j;
#pragma omp parallel for schedule(static) private(w, j) /* free */
  for (int i = 0; i < n; i++) {
    for (j = 0; j < 64; j++) {
      w[j] = i + j;
      if (use[j]) goto next;
    }
    out[i] = w[i & 63];
  next:;
  }
}

void goes_on_where_it_broke_off(int n, double *out, int *use) {
  double w[64];
  int j;
#pragma omp parallel for schedule(static) private(w, j) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (j = 0; j < 64; j++) {
      w[j] = i + j;
      if (use[j]) goto next;
    }
    out[i] = 0;
  next:
    out[i] += w[i & 63];
  }
}
