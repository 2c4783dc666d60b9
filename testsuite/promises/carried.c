/* What an iteration leaves for its thread's next one, in memory of the thread's own. */

#include <errno.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

double f(double value);
void step(long *state, int i);
int rand_r(unsigned *seed);

void passes_values(int n, double *a, double *b) {
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) a[i] = f(b[i]);
}

void passes_shared_memory(int n, long *a) {
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) step(&a[i], i);
}

void passes_a_private_variable(int n, long *out) {
  long acc;
#pragma omp parallel for schedule(static) private(acc) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    step(&acc, i);
    out[i] = acc;
  }
}

void passes_it_in_chunks(int n, long *out) {
  long acc;
#pragma omp parallel for schedule(static, 100) private(acc) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    step(&acc, i);
    out[i] = acc;
  }
}

void passes_what_it_wrote(int n, long *out) {
  long acc;
#pragma omp parallel for schedule(static) private(acc) /* free */
  for (int i = 0; i < n; i++) {
    acc = i;
    step(&acc, i);
    out[i] = acc;
  }
}

void writes_it_before_the_loop_alone(int n, long *out) {
#pragma omp parallel
  {
    long acc = 3;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      step(&acc, i);
      out[i] = acc;
    }
  }
}

void passes_a_seed(int n, int *out) {
  unsigned seed = 1;
#pragma omp parallel for schedule(static) firstprivate(seed) /* bound own_memory */
  for (int i = 0; i < n; i++) out[i] = rand_r(&seed);
}

static void add(long *sum, long value) { *sum += value; }
static long twice(const long *value) { return 2 * *value; }

void is_changed_by_a_known_function(int n, long *out) {
  long sum = 0;
#pragma omp parallel for schedule(static) firstprivate(sum) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    add(&sum, i);
    out[i] = sum;
  }
}

void is_read_by_a_known_function(int n, long *out) {
  long scale = 3;
#pragma omp parallel for schedule(static) firstprivate(scale) /* free */
  for (int i = 0; i < n; i++) out[i] = i * twice(&scale);
}

struct pair {
  long first, second;
};

void carries_a_member(int n, long *out) {
  struct pair state = {0, 0};
#pragma omp parallel for schedule(static) firstprivate(state) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    state.second += i;
    out[i] = state.second;
  }
}

void writes_members_first(int n, long *out) {
  struct pair state = {0, 0};
#pragma omp parallel for schedule(static) firstprivate(state) /* free */
  for (int i = 0; i < n; i++) {
    state.second = i;
    state.second += state.first;
    out[i] = state.second;
  }
}

void copies_a_structure_first(int n, struct pair *in, long *out) {
  struct pair state;
#pragma omp parallel for schedule(static) private(state) /* free */
  for (int i = 0; i < n; i++) {
    state = in[i];
    add(&state.first, i);
    out[i] = state.first + state.second;
  }
}

void carries_an_element(int n, long *out) {
  long state[4] = {0};
#pragma omp parallel for schedule(static) firstprivate(state) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    state[2] += i;
    out[i] = state[2];
  }
}

void carries_some_element(int n, long *out) {
  long state[4] = {0};
#pragma omp parallel for schedule(static) firstprivate(state) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    state[i % 4] = i;
    out[i] = state[(i + 1) % 4];
  }
}

void reads_a_table(int n, long *out) {
  long table[4] = {1, 2, 3, 4};
#pragma omp parallel for schedule(static) firstprivate(table) /* free */
  for (int i = 0; i < n; i++) out[i] = table[i % 4];
}

void fills_an_array_first(int n, long *out) {
  long state[4];
#pragma omp parallel for schedule(static) private(state) /* free */
  for (int i = 0; i < n; i++) {
    memset(state, 0, sizeof state);
    state[i % 4] = i;
    out[i] = state[(i + 1) % 4];
  }
}

void keeps_memory_of_its_own(int n, long *out) {
#pragma omp parallel
  {
    long *state = calloc(1, sizeof *state);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      *state += i;
      out[i] = *state;
    }
  }
}

void gives_memory_of_its_own_away(int n, long *out) {
#pragma omp parallel
  {
    long *state = calloc(1, sizeof *state);
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      step(state, i);
      out[i] = *state;
    }
  }
}

static long *new_state(void) { return calloc(1, sizeof(long)); }

void has_memory_of_a_known_function(int n, long *out) {
#pragma omp parallel
  {
    long *state = new_state();
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      step(state, i);
      out[i] = *state;
    }
  }
}

void hides_an_address_in_a_number(int n, long *out) {
#pragma omp parallel
  {
    long state = 0;
    unsigned long number = (unsigned long)&state;
#pragma omp for schedule(static) /* bound own_memory */
    for (int i = 0; i < n; i++) {
      step((long *)number, i);
      out[i] = *(long *)number;
    }
  }
}

void gives_it_to_tasks(int n, long *out) {
  long acc = 0;
#pragma omp parallel for schedule(static) firstprivate(acc) /* bound own_memory */
  for (int i = 0; i < n; i++) {
#pragma omp task shared(acc) if (0)
    acc += i;
    out[i] = acc;
  }
}

void gives_values_to_tasks(int n, long *out) {
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
    out[i] = i;
  }
}

static long slots[64];
int omp_get_thread_num(void);

void has_a_slot(int n, long *out) {
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) {
    step(&slots[omp_get_thread_num()], i);
    out[i] = slots[omp_get_thread_num()];
  }
}

void compares_its_number(int n, long *out, int *owner) {
  long by_first = 0;
#pragma omp parallel for schedule(static) shared(by_first) /* bound thread_number */
  for (int i = 0; i < n; i++) {
    owner[i] = omp_get_thread_num();
    if (omp_get_thread_num() == 0) {
#pragma omp atomic
      by_first++;
    }
  }
  *out = by_first;
}

void knows_the_number_of_a_chunk(int n, int *owner) {
#pragma omp parallel for schedule(static, 4) /* bound thread_number */
  for (int i = 0; i < n; i++) owner[i] = omp_get_thread_num();
}

void chooses_a_slot_before(int n, long *out) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp for schedule(static) /* bound thread_number */
    for (int i = 0; i < n; i++) {
      slots[me] += i;
      out[i] = slots[me];
    }
  }
}

void sets_errno(int n, char **text, long *out) {
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) {
    out[i] = strtol(text[i], 0, 10);
    if (errno) out[i] = -1;
  }
}

void rounds(int n, double *a) {
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0) fesetround(FE_UPWARD);
    a[i] = f(i);
  }
}

void flushes_to_zero(int n, double *a) {
#pragma omp parallel for schedule(static) /* bound threadprivate */
  for (int i = 0; i < n; i++) {
    unsigned mode = 0x9fc0;
    __asm__ volatile("ldmxcsr %0" : : "m"(mode));
    a[i] = f(i);
  }
}

void is_a_barrier_for_the_compiler(int n, double *a) {
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) {
    __asm__ volatile("" : : : "memory");
    a[i] = f(i);
  }
}

void sums(int n, double *a, double *out) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) /* free */
  for (int i = 0; i < n; i++) sum += f(a[i]);
  *out = sum;
}
