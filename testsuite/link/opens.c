// Opens a library, whose constructor does everything. Argument: its path.
#include "../run/program.h"
#include <dlfcn.h>

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  if (!dlopen(argv[1], RTLD_NOW)) {
    printf("%s\n", dlerror());
    return 1;
  }
  return 0;
}
