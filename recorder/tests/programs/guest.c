/* What a program may do with its descriptors and limits while others are guests in its process. The first argument says what; the
 * file of its own is named by the second. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile long cells[1000];

static void run(void) {
  for (int r = 0; r < 500; r++)
#pragma omp parallel for schedule(static, 1) num_threads(2)
    for (int i = 0; i < 1000; i++) cells[i] += i;
}

/* A daemon's way: its own file is what standard error was. */
static int take(const char *path) {
  for (int it = 0; it < 1024; it++) close(it);
  if (open("/dev/null", O_RDWR) != 0 || dup(0) != 1 || open(path, O_RDWR | O_CREAT | O_TRUNC, 0600) != 2) return 20;
  return write(2, "own\n", 4) == 4 ? 0 : 21;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const char *what = argv[1];
  if (!strcmp(what, "daemon, early") && take(argv[2])) return 20;
#pragma omp parallel num_threads(2)
  {}
  if (!strcmp(what, "daemon, late") && take(argv[2])) return 21;
  if (!strcmp(what, "small files")) {
    struct rlimit limit = {100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  errno = 77;
  run();
  if (errno != 77) return 22;
  if (strncmp(what, "daemon", 6)) {
    FILE *own = fopen(argv[2], "w");
    if (!own || fputs("own\n", own) < 0 || fclose(own)) return 23;
  }
  if (!strcmp(what, "abrupt")) _exit(7);
  return 7;
}
