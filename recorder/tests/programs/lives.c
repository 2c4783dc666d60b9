// Opens a library that brings its runtime, runs its loop and closes it, three times; with LIBRARY, that library.
//
// Argument: its path.
#ifdef LIBRARY
static double a[30];

void loop(void) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 30; i++) a[i] += i;
}
#else
#include <dlfcn.h>

int main(int argc, char **argv) {
  for (int life = 0; life < 3 && argc == 2; life++) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return 2;
    ((void (*)(void))dlsym(library, "loop"))();
    dlclose(library);
  }
  return 0;
}
#endif
