/* omp-collector.h - the numbers of the OpenMP Collector API, and one function that asks one thing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef OMP_COLLECTOR_H
#define OMP_COLLECTOR_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

enum { /* requests */
  REQ_START, REQ_REGISTER, REQ_UNREGISTER, REQ_STATE, REQ_CURRENT_PRID, REQ_PARENT_PRID, REQ_STOP, REQ_PAUSE,
  REQ_RESUME
};
enum { /* error codes */
  EC_OK, EC_ERROR, EC_UNKNOWN, EC_UNSUPPORTED, EC_SEQUENCE, EC_OBSOLETE, EC_THREAD, EC_TOO_SMALL
};
enum { /* events; an end is one more than its begin */
  EV_FORK = 1, EV_JOIN = 2, EV_IDLE = 3, EV_IBAR = 5, EV_EBAR = 7, EV_LKWT = 9, EV_CTWT = 11, EV_ODWT = 13,
  EV_MASTER = 15, EV_SINGLE = 17, EV_ORDERED = 19, EV_ATWT = 21, EV_LAST = 22
};
enum { /* states */
  ST_OVHD = 1, ST_WORK, ST_IBAR, ST_EBAR, ST_IDLE, ST_SERIAL, ST_REDUC, ST_LKWT, ST_CTWT, ST_ODWT, ST_ATWT
};

/* A record with room for every answer, and the end of the list. */
typedef struct record {
  int32_t sz, r, ec, rsz;
  union {
    struct { int32_t event; void (*callback)(int); } reg;
    struct { int32_t state; uint64_t wait_id; } state;
    uint64_t region;
  } mem;
  int32_t end;
} record;

typedef int collector_api(void *);

/* The interface, or null. */
static inline collector_api *find_collector_api(void) {
  void *found = dlsym(RTLD_DEFAULT, "__omp_collector_api");
  return *(collector_api **)&found;
}

/* Sends one record, and gives its error code, or -1. */
static inline int ask(collector_api *api, int request, record *it) {
  it->sz = offsetof(record, end);
  it->r = request;
  it->ec = it->rsz = it->end = 0;
  return api(it) ? -1 : it->ec;
}

/* An id of the region that the thread is in, or of the one around it (REQ_PARENT_PRID); 0: none. */
static inline uint64_t region_of(collector_api *api, int request) {
  record it = {0};
  return ask(api, request, &it) == EC_OK ? it.mem.region : 0;
}

/* The state of the thread; 0: not started. */
static inline int state_of(collector_api *api) {
  record it = {0};
  return ask(api, REQ_STATE, &it) == EC_OK ? it.mem.state.state : 0;
}

static inline int register_for(collector_api *api, int event, void (*callback)(int)) {
  record it = {.mem.reg = {event, callback}};
  return ask(api, REQ_REGISTER, &it);
}

#endif
