/* What threads keep for themselves, also across a barrier. */

int omp_get_thread_num(void);
int omp_get_num_threads(void);

static double kept[100];
#pragma omp threadprivate(kept)

void keeps_in_threadprivate(double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static) /* bound threadprivate */
    for (int i = 0; i < 100; i++) kept[i] = i;
#pragma omp for schedule(static) /* bound threadprivate */
    for (int i = 0; i < 100; i++) b[i] = kept[i];
  }
}

void keeps_in_variable(double *b) {
#pragma omp parallel
  {
    double mine[100];
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) mine[i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = mine[i];
  }
}

void forgets(double *b) {
#pragma omp parallel
  {
    double value;
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) {
      value = i;
      b[i] = value;
    }
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) {
      value = 2 * i;
      b[i] += value;
    }
  }
}

void forgets_by_address(double *b) {
#pragma omp parallel
  {
    double value, *address = &value;
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) {
      *address = i;
      b[i] = *address;
    }
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) {
      *address = 2 * i;
      b[i] += *address;
    }
  }
}

void reads_own_chunks(double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 4) /* bound thread_number */
    for (int i = 0; i < 100; i++) a[i] = i;
    for (int i = 4 * omp_get_thread_num(); i < 100; i += 4 * omp_get_num_threads()) b[i] = a[i];
#pragma omp barrier
#pragma omp for schedule(static, 4) /* bound thread_number */
    for (int i = 0; i < 100; i++) a[i] = i;
  }
}

void asks_how_many(double *a, double *b) {
#pragma omp parallel
  {
    int count = omp_get_num_threads();
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) a[i] = i;
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) b[i] = count;
  }
}

static double rows[8][100];
static int taken;

void takes_a_number(double *b) {
#pragma omp parallel
  {
    int me;
#pragma omp atomic capture
    me = taken++;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) rows[me][i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = rows[me][i];
  }
}

static int next(void) {
  int number;
#pragma omp critical
  number = taken++;
  return number;
}

void takes_a_number_elsewhere(double *b) {
#pragma omp parallel
  {
    int me = next();
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) rows[me][i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = rows[me][i];
  }
}

void takes_a_row(double *b) {
#pragma omp parallel
  {
    double *mine;
#pragma omp critical
    mine = rows[taken++];
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) mine[i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = mine[i];
  }
}

void is_chosen(double *b) {
#pragma omp parallel
  {
    int me = 1;
#pragma omp single
    me = 0;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) rows[me][i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = rows[me][i];
  }
}

void has_a_section(double *b) {
#pragma omp parallel
  {
    int me = 0;
#pragma omp sections
    {
#pragma omp section
      me = 1;
#pragma omp section
      me = 2;
    }
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) rows[me][i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = rows[me][i];
  }
}

void is_dealt_something(double *b) {
#pragma omp parallel
  {
    int me = 0;
#pragma omp for schedule(dynamic) /* free */
    for (int i = 0; i < 4; i++) me = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) rows[me][i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = rows[me][i];
  }
}

void keeps_nothing_of_all_that(double *b, double *sum) {
#pragma omp parallel
  {
    int row = 3;
#pragma omp atomic
    taken++;
#pragma omp critical
    {
      double before = *sum;
      *sum = before + 1;
    }
#pragma omp single
    b[0] = rows[row][0];
#pragma omp sections
    {
#pragma omp section
      b[1] = 1;
#pragma omp section
      b[2] = 2;
    }
#pragma omp for schedule(dynamic) /* free */
    for (int i = 0; i < 4; i++) b[i] = i;
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) rows[row][i] = i;
#pragma omp for schedule(static) /* free */
    for (int i = 0; i < 100; i++) b[i] = rows[row][i];
  }
}

void swaps_for_a_number(double *b) {
#pragma omp parallel
  {
    int me;
    do me = taken;
    while (!__sync_bool_compare_and_swap(&taken, me, me + 1));
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) rows[me][i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = rows[me][i];
  }
}

void has_an_address(double *b) {
#pragma omp parallel
  {
    int variable, me = ((unsigned long)&variable >> 16) % 8;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) rows[me][i] = i;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < 100; i++) b[i] = rows[me][i];
  }
}

void has_a_frame(double *b) {
#pragma omp parallel
  {
    int me = ((unsigned long)__builtin_frame_address(0) >> 16) % 8;
#pragma omp for schedule(static) /* bound thread_number */
    for (int i = 0; i < 100; i++) rows[me][i] = i;
#pragma omp for schedule(static) /* bound thread_number */
    for (int i = 0; i < 100; i++) b[i] = rows[me][i];
  }
}

void combines(double *a, double *results) {
  double largest = 0, product = 1;
#pragma omp parallel
  {
#pragma omp for schedule(static) reduction(max : largest) /* free */
    for (int i = 0; i < 100; i++) largest = a[i] > largest ? a[i] : largest;
#pragma omp for schedule(static) reduction(* : product) nowait /* free */
    for (int i = 0; i < 100; i++) product *= a[i];
  }
  results[0] = largest, results[1] = product;
}
