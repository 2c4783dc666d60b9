/* The same: memory by other names, several dimensions, and loops of other kinds. */

#include <stdlib.h>
#include <string.h>

void look(double *array);

void gives_it_away_between(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) w[j] = i + j;
    look(w);
    out[i] = w[i & 63];
  }
}

void lets_tasks_use_it(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) w[j] = i + j;
#pragma omp task shared(w) if (0)
    out[i] = w[i & 63];
  }
}

void wraps(int n, double *out) {
  double w[512];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 512; j++) w[(unsigned char)j] = i + j;
    out[i] = w[i & 511];
    w[i & 511] = i;
  }
}

void counts_in_a_byte(int n, int m, double *out) {
  double w[256];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    unsigned char j = 250;
    for (int k = 0; k < m; k++) w[j++] = i + k;
    double sum = 0;
    for (int k = 0; k < m; k++) sum += w[250 + k];
    out[i] = sum;
    w[i & 255] = i;
  }
}

void never_begins(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 64; j < 64; j++) w[j] = i + j;
    out[i] = w[i & 63];
    w[i & 63] = i;
  }
}

void fills_with_wider_steps(int n, double *out) {
  float w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) ((short *)w)[2 * j] = i + j;
    out[i] = w[i & 63];
  }
}

void fills_half_of_a_structure(int n, double *out) {
  struct {
    float a, b;
  } w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) w[j].a = i + j;
    out[i] = w[i & 63].b;
    w[i & 63].b = i;
  }
}

void fills_members(int n, double *out) {
  struct {
    float a, b;
  } w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) w[j].a = w[j].b = i + j;
    double sum = 0;
    for (int j = 0; j < 64; j++) sum += w[j].a * w[j].b;
    out[i] = sum;
  }
}

void fills_rows(int n, double *out) {
  double w[8][16];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 16; k++) w[j][k] = i + j + k;
    out[i] = w[i & 7][i & 15];
  }
}

void fills_columns(int n, double *out) {
  double w[8][16];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 16; k++)
      for (int j = 0; j < 8; j++) w[j][k] = i + j + k;
    double sum = 0;
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 16; k++) sum += w[j][k];
    out[i] = sum;
  }
}

void fills_short_rows(int n, double *out) {
  double w[8][16];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 15; k++) w[j][k] = i + j + k;
    out[i] = w[i & 7][i & 15];
  }
}

void fills_a_triangle(int n, double *out) {
  double w[8][8];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 8; j++)
      for (int k = 0; k <= j; k++) w[j][k] = i + j + k;
    double sum = 0;
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 8; k++) sum += w[j][k];
    out[i] = sum;
  }
}

void fills_rows_of_some(int n, int m, int l, double *out) {
#pragma omp parallel for schedule(static) firstprivate(m, l) /* free */
  for (int i = 0; i < n; i++) {
    double w[16][16];
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) w[j][k] = i + j + k;
    double sum = 0;
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) sum += w[j][k];
    out[i] = sum;
  }
}

void exchanges_how_many(int n, int m, int l, double *out) {
  double w[16][16];
#pragma omp parallel for schedule(static) firstprivate(m, l) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) w[j][k] = i + j + k;
    double sum = 0;
    for (int j = 0; j < l; j++)
      for (int k = 0; k < m; k++) sum += w[j][k];
    out[i] = sum;
  }
}

void fills_its_own_memory(int n, double *out) {
#pragma omp parallel
  {
    double *w = malloc(64 * sizeof *w);
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < 64; j++) w[j] = i + j;
      out[i] = w[i & 63];
    }
  }
}

void fills_it_before_the_loop(int n, double *out) {
#pragma omp parallel
  {
    double w[64];
    for (int j = 0; j < 64; j++) w[j] = j;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      w[i & 63] += i;
      out[i] = w[(i + 1) & 63];
    }
  }
}

void fills_it_for_the_next_one(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static, 4) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    if (i % 4)
      out[i] = w[i & 63];
    else
      for (int j = 0; j < 64; j++) w[j] = i + j;
  }
}

void fills_while(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    int j = 0;
    do w[j] = i + j;
    while (++j < 64);
    out[i] = w[i & 63];
  }
}

void fills_while_short(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    int j = 0;
    do w[j] = i + j;
    while (++j < 63);
    out[i] = w[i & 63];
  }
}

void stops_before_the_last_store(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0;; j++) {
      if (j == 63) break;
      w[j] = i + j;
    }
    out[i] = w[i & 63];
  }
}

void stops_behind_the_last_store(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0;; j++) {
      w[j] = i + j;
      if (j == 63) break;
    }
    out[i] = w[i & 63];
  }
}

void is_filled_in_a_loop_that_may_not_run(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++)
      for (int j = 0; j < 64; j++) w[j] = i + j + k;
    out[i] = w[i & 63];
  }
}

void reads_where_it_has_run(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* free */
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      for (int j = 0; j < 64; j++) w[j] = i + j + k;
      out[i] += w[k & 63];
    }
}

void fills_in_the_round_before(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      if (k > 0)
        for (int j = 0; j < 64; j++) w[j] = i + j + k;
      out[i] += w[k & 63];
      w[0] = i;
    }
}

void keeps_the_last_one(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) lastprivate(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) w[j] = i + j;
    out[i] = w[i & 63];
  }
  look(w);
}

void enters_a_cycle_twice(int n, int m, double *out, int *use) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    int k = 0;
    if (use[i]) goto inside;
  outside:
    for (int j = 0; j < 64; j++) w[j] = i + j;
  inside:
    out[i] = w[i & 63];
    if (++k < m) goto outside;
  }
}

void reads_by_the_last_bound(int n, int m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) w[j] = i * j;
    double sum = 0;
    for (int j = m; j > 0; j--) sum += w[j];
    out[i] = sum;
  }
}

void grows_what_it_has(int n, double **slots, double *out) {
#pragma omp parallel
  {
    double *w = malloc(64 * sizeof *w);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      w = realloc(w, (64 + i) * sizeof *w);
      out[i] = w[i & 63];
      w[i & 63] = i;
    }
    free(w);
  }
}

void moves_it_down(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    memmove(w, w + 1, sizeof w - sizeof *w);
    w[63] = i;
    out[i] = w[i & 63];
  }
}

void fills_it_by_a_volatile_bound(int n, volatile int *m, double *out) {
  double w[64];
#pragma omp parallel for schedule(static) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < *m; j++) w[j] = i * j;
    double sum = 0;
    for (int j = 0; j < *m; j++) sum += w[j];
    out[i] = sum;
  }
}

void fills_it_at_a_place_that_moves(int n, int m, double *out) {
  double w[128];
  int from = 0;
#pragma omp parallel for schedule(static) firstprivate(m) private(w) lastprivate(from) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    from = i & 63;
    for (int j = 0; j < m; j++) w[from + j] = i * j;
    from = (i + 1) & 63;
    double sum = 0;
    for (int j = 0; j < m; j++) sum += w[from + j];
    out[i] = sum;
  }
}

void fills_it_at_a_place(int n, long m, double *out) {
  double w[128];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* free */
  for (int i = 0; i < n; i++) {
    long from = i & 63;
    for (long j = 0; j < m; j++) w[from + j] = i * j;
    double sum = 0;
    for (long j = 0; j < m; j++) sum += w[from + j];
    out[i] = sum;
  }
}

void begins_in_the_middle(int n, int m, double *out, int *first) {
  double w[64];
#pragma omp parallel for schedule(static) firstprivate(m) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    for (int j = first[i]; j < m; j++) w[j] = i * j;
    double sum = 0;
    for (int j = 0; j < m; j++) sum += w[j];
    out[i] = sum;
  }
}

void has_two_loops(int n, double *out) {
#pragma omp parallel
  {
    double w[64];
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < 64; j++) w[j] = i + j;
      out[i] = w[i & 63];
    }
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) out[i] += w[i & 63];
  }
}

void has_two_loops_that_fill(int n, double *out) {
#pragma omp parallel
  {
    double w[64];
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < 64; j++) w[j] = i + j;
      out[i] = w[i & 63];
    }
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < 64; j++) w[j] = i - j;
      out[i] += w[i & 63];
    }
  }
}

void may_choose_at_run_time(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(runtime) private(w) /* free */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) w[j] = i + j;
    out[i] = w[i & 63];
  }
}

void begins_with_a_chunk(int n, double *out) {
  double w[64];
#pragma omp parallel for schedule(runtime) private(w) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    if (i % 8 == 0)
      for (int j = 0; j < 64; j++) w[j] = i + j;
    out[i] = w[i & 63];
  }
}
