/* A library that is opened while the program runs. */
enum { N = 64 };
int omp_get_thread_num(void);

/* How often the loop of three threads goes over to another thread: 2 under static, more under static,1. -1: an iteration
 * did not run once. */
int hands(void) {
  int ran[N] = {0}, thread[N], changes = 0;
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < N; i++) __atomic_fetch_add(&ran[i], 1, __ATOMIC_RELAXED), thread[i] = omp_get_thread_num();
  for (int i = 0; i < N; i++) {
    if (ran[i] != 1) return -1;
    changes += i && thread[i] != thread[i - 1];
  }
  return changes;
}

/* 0 if all is right. */
long part(void) {
  for (int round = 0; round < 20; round++)
    if (hands() < 0) return 1;
  return 0;
}
