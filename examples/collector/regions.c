/* regions - a collector for the OpenMP Collector API: work and wait of each parallel region, on stderr, at the end.
 *
 *   cc -O2 -shared -fPIC regions.c -o libregions.so
 *   LD_PRELOAD="libompchunk_rt.so libregions.so" ./app
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * wall  from FORK to JOIN
 * wait  of all threads: in barriers, and before locks, critical, ordered and atomic constructs, as long as the region
 *       lasts. Runtimes end the last barrier of a worker that sleeps when they wake it for the next region. What runs inside
 *       a wait, such as a task in a barrier, is part of it.
 * work  wall times threads, less wait
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "omp-collector.h"

enum { REGIONS = 1 << 16, DEPTH = 256, OVER = -(1 << 20) };

/* The region of id k at k % REGIONS: of more, the last ones are kept. */
static struct region {
  _Atomic uint64_t id;
  uint64_t parent;
  int64_t begin, wall;           /* nanoseconds */
  _Atomic int64_t wait;          /* the ends of all waits less their begins */
  atomic_int threads, waiting;   /* OVER: what still waits was counted */
} regions[REGIONS];

static _Thread_local uint64_t begun[DEPTH]; /* regions that the thread has begun */
static _Thread_local int depth, waits;      /* waits inside each other count once */
static collector_api *api;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static struct region *find(uint64_t id) {
  struct region *it = &regions[id % REGIONS];
  return id && it->id == id ? it : NULL;
}

static struct region *current(void) { return find(region_of(api, REQ_CURRENT_PRID)); }

static void on_fork(int event) {
  (void)event;
  uint64_t id = region_of(api, REQ_CURRENT_PRID);
  struct region *it = &regions[id % REGIONS];
  it->id = 0;
  it->parent = region_of(api, REQ_PARENT_PRID);
  it->wait = 0;
  it->waiting = 0;
  it->threads = 1;
  it->begin = now();
  it->id = id;
  if (depth < DEPTH) begun[depth] = id;
  depth++;
}

static void on_join(int event) {
  (void)event;
  if (depth == 0 || --depth >= DEPTH) return;
  struct region *it = find(begun[depth]);
  if (!it) return;
  int64_t end = now();
  it->wall = end - it->begin;
  it->wait += end * atomic_exchange(&it->waiting, OVER);
}

static void on_worker(int event) { /* leaves the pool, for a region */
  (void)event;
  struct region *it = current();
  if (it) it->threads++;
}

static void on_wait(int event) {
  struct region *it;
  if (event % 2 ? waits++ > 0 : waits == 0 || --waits > 0) return;
  if (!(it = current())) return;
  if (event % 2) {
    it->wait -= now();
    it->waiting++;
    return;
  }
  for (int waiting = it->waiting; waiting > 0;)
    if (atomic_compare_exchange_weak(&it->waiting, &waiting, waiting - 1)) {
      it->wait += now();
      return;
    }
}

__attribute__((constructor)) static void begin(void) {
  static const int waits_for[] = {EV_IBAR, EV_EBAR, EV_LKWT, EV_CTWT, EV_ODWT, EV_ATWT};
  record start = {0};
  if (!(api = find_collector_api()) || ask(api, REQ_START, &start) != EC_OK) {
    fprintf(stderr, "regions: no OpenMP Collector API, or it came too late\n");
    api = NULL;
    return;
  }
  register_for(api, EV_FORK, on_fork), register_for(api, EV_JOIN, on_join);
  register_for(api, EV_IDLE + 1, on_worker);
  for (unsigned k = 0; k < sizeof waits_for / sizeof *waits_for; k++)
    for (int end = 0; end < 2; end++) register_for(api, waits_for[k] + end, on_wait);
}

__attribute__((destructor)) static void end(void) {
  record stop = {0};
  if (!api || ask(api, REQ_STOP, &stop) != EC_OK) return;
  fprintf(stderr, "%8s %8s %8s %12s %12s %12s\n", "region", "parent", "threads", "wall ms", "work ms", "wait ms");
  for (struct region *it = regions; it < regions + REGIONS; it++)
    if (it->id && it->waiting < 0) {
      double wall = 1e-6 * (double)it->wall, wait = 1e-6 * (double)it->wait;
      fprintf(stderr, "%8llu %8llu %8d %12.3f %12.3f %12.3f\n", (unsigned long long)it->id,
              (unsigned long long)it->parent, it->threads, wall, wall * it->threads - wait, wait);
    }
}
