/* One thread of a team comes to a loop, and in its first iteration a library is opened that brings a runtime of its own, which asks
 * for tools. The others come to the loop after that: all iterations run once if they have it as the first had it.
 *
 * middle LIBRARY: the program starts with OMP_TOOL=disabled, which it takes away for the library's runtime. */
#define _GNU_SOURCE
#include "program.h"

#include <dlfcn.h>
#include <string.h>

enum { N = 90, ROUNDS = 3 };

static unsigned ran[ROUNDS][N];
static int is_there;

static void open_library(const char *path) {
  setenv("OMP_TOOL", "enabled", 1);
  /* Its calls go to its own runtime, though the program's has the same names. */
  void *handle = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
  if (!handle) printf("%s\n", dlerror()), exit(2);
  long (*part)(void) = (long (*)(void))dlsym(handle, "part");
  if (!part || part()) printf("the library's loop went wrong\n"), exit(2);
  __atomic_store_n(&is_there, 1, __ATOMIC_RELEASE);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
#pragma omp parallel num_threads(3)
  for (int round = 0; round < ROUNDS; round++) {
    int is_first = omp_get_thread_num() == 0;
    while (!is_first && !__atomic_load_n(&is_there, __ATOMIC_ACQUIRE)) ;
#pragma omp for
    for (int i = 0; i < N; i++) {
      __atomic_fetch_add(&ran[round][i], 1, __ATOMIC_RELAXED);
      if (is_first && !__atomic_load_n(&is_there, __ATOMIC_ACQUIRE)) open_library(arguments[1]);
    }
  }
  unsigned total = 0, wrong = 0;
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < N; i++) total += ran[round][i], wrong += ran[round][i] != 1;
  printf("%u iterations, %u wrong\n", total, wrong);
  return wrong != 0;
}
