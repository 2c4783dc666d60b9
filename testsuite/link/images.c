// Instrumented code everywhere in one process: the executable (part 0), a static archive (1), two
// shared libraries (2 and 3), and a library (4) that is opened, closed, and opened again.
//
// Argument: path of that library.
#include "../run/program.h"
#include <dlfcn.h>

void part_1(int), part_2(int), part_3(int);

static void part_0(int n) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
  report(0);
}

static void opened(const char *path, int flags, int n) {
  void *library = dlopen(path, flags);
  if (!library) {
    printf("%s\n", dlerror());
    exit(1);
  }
  void (*part_4)(int) = (void (*)(int))dlsym(library, "part_4");
  part_4(n);
  dlclose(library);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  for (int n = 0; n < 30; n += 13) {
    opened(argv[1], RTLD_NOW | RTLD_LOCAL, n);
    part_0(n), part_1(n), part_2(n), part_3(n);
    opened(argv[1], RTLD_LAZY | RTLD_GLOBAL, n + 1);
    opened(argv[1], RTLD_NOW | RTLD_LOCAL, n + 2);
    part_0(n);
  }
  return 0;
}
