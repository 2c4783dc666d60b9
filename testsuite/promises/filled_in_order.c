/* The same: in which order elements are filled and read, by which loops, and which of several arrays. */

#include <string.h>

double f(int value);

void fills_each_second(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j += 2) w[j] = i + j;
    out[i] = w[i & 63];
  }
}

void reads_each_second_that_it_filled(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j += 2) w[j] = i + j;
    double sum = 0;
    for (int j = 0; j < 64; j += 2) sum += w[j];
    out[i] = sum;
  }
}

void reads_the_others(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j += 2) w[j] = i + j;
    double sum = 0;
    for (int j = 1; j < 64; j += 2) sum += w[j];
    out[i] = sum;
    for (int j = 1; j < 64; j += 2) w[j] = i + j;
  }
}

void fills_downwards(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 63; j >= 0; j--) w[j] = i + j;
    out[i] = w[i & 63];
  }
}

void fills_downwards_to_one(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 63; j > 0; j--) w[j] = i + j;
    out[i] = w[i & 63];
  }
}

void fills_downwards_from_some(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = m - 1; j >= 0; j--) w[j] = i + j;
    double sum = 0;
    for (int j = m - 1; j >= 0; j--) sum += w[j];
    out[i] = sum;
  }
}

void reads_before_it_fills(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    out[i] = w[i & 63];
    for (int j = 0; j < 64; j++) w[j] = i + j;
  }
}

void reads_while_it_fills(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 64; j++) {
      w[j] = i + j;
      out[i] = w[(j + 1) & 63];
    }
}

void reads_each_at_once(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      w[j] = f(j);
      out[i] += w[j];
    }
}

void goes_back_by_one(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* free */
  for (int i = 0; i < n; i++) {
    w[0] = i;
    for (int j = 1; j < m; j++) w[j] = 2 * w[j - 1] + j;
    out[i] = w[0];
  }
}

void goes_back_by_two(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    w[0] = 1;
    w[1] = i;
    for (int j = 2; j < 64; j++) w[j] = w[j - 1] + w[j - 2];
    out[i] = w[i & 63];
  }
}

void goes_back_by_two_from_one(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    w[1] = i;
    for (int j = 2; j < 64; j++) w[j] = w[j - 1] + w[j - 2];
    out[i] = w[2];
    w[0] = i;
  }
}

void goes_back_before_the_beginning(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++)
    for (int j = 1; j < 64; j++) {
      w[j] = w[j - 1] + i;
      out[i] = w[j];
      if (j == 63) w[0] = w[j];
    }
}

void looks_ahead(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 63; j++) {
      out[i] += w[j + 1];
      w[j] = i;
    }
}

void skips_some_going_back(int n, double *out, int *use) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    w[0] = i;
    for (int j = 1; j < 64; j++) {
      out[i] += w[j - 1];
      if (use[j]) w[j] = j;
    }
  }
}

void fills_the_ends_apart(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    w[0] = 0;
    w[63] = 1;
    for (int j = 1; j < 63; j++) w[j] = i + j;
    double sum = 0;
    for (int j = 0; j < 64; j++) sum += w[j];
    out[i] = sum;
  }
}

void leaves_a_hole(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    w[0] = 0;
    w[63] = 1;
    for (int j = 2; j < 63; j++) w[j] = i + j;
    double sum = 0;
    for (int j = 0; j < 64; j++) sum += w[j];
    out[i] = sum;
    w[1] = sum;
  }
}

void sets_all(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    memset(w, 0, sizeof w);
    for (int j = 0; j < n; j++) w[j & 63] += i;
    out[i] = w[i & 63];
  }
}

void sets_half(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    memset(w, 0, sizeof w / 2);
    for (int j = 0; j < n; j++) w[j & 63] += i;
    out[i] = w[i & 63];
  }
}

void copies_all(int n, double *in, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    memcpy(w, in + i, sizeof w);
    for (int j = 0; j < n; j++) w[j & 63] += i;
    out[i] = w[i & 63];
  }
}

void copies_it_on(int n, double *in, double *out) {
  double v[64], w[64];
#pragma omp parallel for schedule(static) private(v, w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) v[j] = in[j];
    memcpy(w, v, sizeof w);
    out[i] = w[i & 63];
  }
}

void copies_it_back(int n, double *in, double *out) {
  double v[64], w[64];
#pragma omp parallel for schedule(static) private(v, w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    memcpy(w, v, sizeof w);
    for (int j = 0; j < 64; j++) v[j] = in[j];
    out[i] = w[i & 63];
  }
}

void fills_another_one(int n, double *out) {
  double v[64], w[64];
#pragma omp parallel for schedule(static) private(v, w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) v[j] = i + j;
    out[i] = w[i & 63] + v[0];
    w[i & 63] = i;
  }
}

void fills_one_of_two(int n, double *out, int *use) {
  double v[64], w[64];
#pragma omp parallel for schedule(static) private(v, w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    double *p = use[i] ? v : w;
    for (int j = 0; j < 64; j++) p[j] = i + j;
    out[i] = w[i & 63];
  }
}

void swaps_arrays(int n, double *out) {
  double v[64], w[64];
  double *p = v, *q = w;
#pragma omp parallel for schedule(static) private(v, w) firstprivate(p, q) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    double *r = p;
    p = q;
    q = r;
    for (int j = 0; j < 64; j++) p[j] = i + j;
    out[i] = q[i & 63];
  }
}
