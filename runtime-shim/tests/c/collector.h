/* What the programs that test the OpenMP Collector API share. */
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "omp-collector.h"

#define CHECK(what)                                                                                                    \
  do {                                                                                                                 \
    if (!(what)) {                                                                                                     \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #what);                                             \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

static collector_api *api;

static inline int simple(int request) {
  record it = {0};
  return ask(api, request, &it);
}
static inline uint64_t prid(void) { return region_of(api, REQ_CURRENT_PRID); }
static inline uint64_t parent(void) { return region_of(api, REQ_PARENT_PRID); }
static inline int state(void) { return state_of(api); }
static inline void nap(long us) { nanosleep(&(struct timespec){0, us * 1000}, NULL); }
