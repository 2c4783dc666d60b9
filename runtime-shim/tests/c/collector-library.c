/* A collector in a library: starts where it is loaded, and stops where it is closed. */
#include "collector.h"

static atomic_long forks, joins, barriers;
static void hear(int event) { atomic_fetch_add(event == EV_FORK ? &forks : event == EV_JOIN ? &joins : &barriers, 1); }

__attribute__((constructor)) static void begin(void) {
  api = find_collector_api();
  if (!api) {
    fprintf(stderr, "no __omp_collector_api\n");
    return;
  }
  CHECK(simple(REQ_START) == EC_OK);
  CHECK(register_for(api, EV_FORK, hear) == EC_OK && register_for(api, EV_JOIN, hear) == EC_OK);
  CHECK(register_for(api, EV_IBAR, hear) == EC_OK);
}

__attribute__((destructor)) static void end(void) {
  if (api && simple(REQ_STOP) == EC_OK) {
    printf("collector forks=%ld joins=%ld barriers=%ld\n", forks, joins, barriers);
    fflush(stdout);
  }
}
