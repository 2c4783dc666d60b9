/* linker_malloc: its malloc takes a lock, which a thread also holds while it walks through what is loaded, and libraries come and go
   meanwhile. Whoever allocates while the dynamic linker's lock is held waits for ever. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);

static pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER;
static __thread int is_inside;
static int is_over;
static volatile long sink;

void *malloc(size_t size) {
  void *memory;
  if (is_inside) return __libc_malloc(size);
  is_inside = 1;
  pthread_mutex_lock(&heap);
  memory = __libc_malloc(size);
  pthread_mutex_unlock(&heap);
  is_inside = 0;
  return memory;
}

static int count(struct dl_phdr_info *info, size_t size, void *of) {
  (void)info;
  (void)size;
  ++*(long *)of;
  return 0;
}

static void *walks(void *unused) {
  long found = 0;
  is_inside = 1;
  while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&heap);
    dl_iterate_phdr(count, &found);
    pthread_mutex_unlock(&heap);
  }
  return unused;
}

static void *loads(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
    void *library = dlopen("libutil.so.1", RTLD_NOW);
    if (library) dlclose(library);
    usleep(1000);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  alarm(60);
  pthread_create(&threads[0], NULL, walks, NULL);
  pthread_create(&threads[1], NULL, loads, NULL);
#pragma omp parallel num_threads(2)
  for (long i = 0; i < 300000000; i++) sink = i;
  __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("done\n");
  return 0;
}
