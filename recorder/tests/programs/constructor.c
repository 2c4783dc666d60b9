/* With LIBRARY: runs loops on four threads while it is loaded and while it is closed, when the dynamic linker holds its
 * lock. Else the program that loads it, after loops of its own if there is a second argument. */
#include <dlfcn.h>
#include <stdio.h>

static double data[400];

static void run(void) {
  for (int repetition = 0; repetition < 50; repetition++)
#pragma omp parallel for schedule(static, 1) num_threads(4)
    for (int i = 0; i < 400; i++) data[i] += i;
#pragma omp parallel for schedule(dynamic, 1) num_threads(4)
  for (int i = 0; i < 400; i++) data[i] += i;
}

#ifdef LIBRARY
__attribute__((constructor)) static void begin(void) { run(); }
__attribute__((destructor)) static void end(void) { run(); }
#else
int main(int argc, char **argv) {
  if (argc > 2) run();
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    puts(dlerror());
    return 1;
  }
  dlclose(library);
  puts("done");
  return 0;
}
#endif
