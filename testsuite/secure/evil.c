// What whoever starts a set-user-ID program would like it to load.
#include <unistd.h>

__attribute__((constructor)) static void begin(void) {
  static const char text[] = "evil was loaded\n";
  if (write(1, text, sizeof text - 1) < 0) _exit(3);
}

void *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  return 0;
}
