// What a branch decides, what a thread's part of a reduction shows, and exchanges that wait.

#include <stdio.h>
int omp_get_thread_num(void);
int force;
static long x[1000], cost[1000];
static _Atomic int token[8], go;

void numbers(int n) {
#pragma omp parallel
  {
    int me = 0;
    if (omp_get_thread_num() == 1 || force) me = 1;
#pragma omp for schedule(static) /* bound thread_number */
    for (int i = 0; i < n; i++) x[i] = me;
  }
#pragma omp parallel
  {
    int me = 0;
    do me++; while (me < omp_get_thread_num());
#pragma omp for schedule(static) /* bound thread_number */
    for (int i = 0; i < n; i++) x[i] = me;
  }
}

static __attribute__((noinline)) long get(const long *part) { return *part; }
#pragma omp declare reduction(longest : long : omp_out = omp_out > omp_in ? omp_out : omp_in) initializer(omp_priv = 0)
long parts(int n) {
  long load = 0, sum = 0, last = 0, given = 0, any = 0, found = 0, least = 1000;
#pragma omp parallel for schedule(static, 4) reduction(longest : load) /* bound own_memory */
  for (int i = 0; i < n; i++) load += cost[i];
#pragma omp parallel for schedule(static, 4) reduction(+ : sum) /* bound own_memory */
  for (int i = 0; i < n; i++) {
    sum += cost[i];
    if (sum > 60) sum = 60;
  }
#pragma omp parallel for schedule(static, 4) reduction(+ : last) /* bound own_memory */
  for (int i = 0; i < n; i++) last = i;
#pragma omp parallel for schedule(static, 4) reduction(+ : given) /* bound own_memory */
  for (int i = 0; i < n; i++) x[i] = get(&given), given++;
#pragma omp parallel for schedule(static, 4) reduction(|| : any, found) reduction(min : least) /* free */
  for (int i = 0; i < n; i++) {
    if (cost[i] == 7) any = 1;
    found = found || cost[i] == 7;
    if (cost[i] < least) least = cost[i];
  }
  return load + sum + last + given + any + found + least;
}

void exchanges(int n) {
#pragma omp parallel for schedule(static) /* bound waiting */
  for (int i = 0; i < n; i++)
    while (!__c11_atomic_exchange(&token[i & 7], 0, 5)) {}
#pragma omp parallel for schedule(static) /* bound waiting */
  for (int i = 0; i < n; i++)
    for (int one = 1; !__c11_atomic_compare_exchange_weak(&token[i & 7], &one, 0, 5, 5); one = 1) {}
#pragma omp parallel for schedule(static) /* free */
  for (int i = 0; i < n; i++) {
    int old = token[0];
    while (!__c11_atomic_compare_exchange_weak(&token[0], &old, old + i, 5, 5)) {}
  }
#pragma omp parallel for schedule(static) /* bound waiting */
  for (int i = 0; i < n; i++) {
    struct { int is_set, tries; } seen = {0, 0};
    do seen.tries++, seen.is_set = go;
    while (!seen.is_set);
    x[i] = seen.tries;
  }
#pragma omp parallel for schedule(static) /* bound waiting */
  for (int i = 0; i < n; i++) {
    if (i & 1) goto look;
  again: x[i]++;
  look: if (!go) goto again;
  }
#pragma omp parallel for schedule(static) /* bound waiting */
  for (int i = 0; i < n; i++) x[i] = fgetc(stdin);
#pragma omp parallel for schedule(static) /* bound thread_number */
  for (int i = 0; i < n; i++) {
#pragma omp taskloop if (0)
    for (int k = 0; k < 2; k++) x[2 * i + k] = omp_get_thread_num();
  }
}
