/* Loads libraries one after the other, runs the loop of each and closes it again: arguments are pairs of a library and
 * a number of iterations. A library that was not there before must come to where the first one was; what is in the way
 * is filled until it does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void run_fn(int);

static void *base_of(void *library) {
  struct link_map *map;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) ? NULL : (void *)map->l_addr;
}

int main(int argc, char **argv) {
  void *first = NULL;
  for (int at = 1; at + 1 < argc; at += 2) {
    void *library = NULL, *base = NULL;
    for (int attempt = 0; attempt < 64; attempt++) {
      library = dlopen(argv[at], RTLD_NOW | RTLD_LOCAL);
      if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
      }
      base = base_of(library);
      if (!first || base == first) break;
      /* In the way from now on. */
      dlclose(library);
      mmap(base, sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    }
    if (!first) first = base;
    run_fn *run = (run_fn *)dlsym(library, "run");
    if (!run) return 3;
    run(atoi(argv[at + 1]));
    printf("%p %s\n", base, base == first ? "same" : "other");
    dlclose(library);
  }
  return 0;
}
