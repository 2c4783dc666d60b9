/* Opens the library that the argument names, which brings its runtime, runs its part and closes it, three times. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  for (int life = 0; life < 3 && argc == 2; life++) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
    ((void (*)(void))dlsym(library, "part"))();
    dlclose(library);
  }
  return 0;
}
