/* Runs loops of 1000 chunks on 3 threads, and in between does to its descriptors, or to the trace, what the first
 * argument says. The second is the trace's directory, the third one for files of its own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 8, CHUNKS = 1000 };

static double data[CHUNKS];
static const char words[] = "The program's own.\n";

static void run(int repetitions) {
  for (int r = 0; r < repetitions; r++)
#pragma omp parallel for schedule(static, 1) num_threads(3)
    for (int i = 0; i < CHUNKS; i++) data[i] += i;
}

static char *file(const char *directory, const char *name, int number) {
  static char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s%d", directory, name, number);
  return path;
}

static int own(const char *directory, int number) {
  int it = open(file(directory, "own", number), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (it < 0 || write(it, words, sizeof words) != sizeof words) exit(20);
  return it;
}

/* Exits with another code if a file of its own is not as it was left. */
static void check(const char *directory) {
  for (int k = 0; k < FILES; k++) {
    char found[2 * sizeof words];
    int it = open(file(directory, "own", k), O_RDONLY);
    if (it < 0) exit(21);
    if (read(it, found, sizeof found) != sizeof words || memcmp(found, words, sizeof words)) exit(22);
    close(it);
  }
}

static void close_all(void) {
  for (int it = 3; it < 4096; it++) close(it);
}

/* Calls `act` with each file of the directory. */
static void each(const char *directory, void (*act)(const char *path)) {
  DIR *open = opendir(directory);
  struct dirent *entry;
  char path[PATH_MAX];
  if (!open) exit(23);
  while ((entry = readdir(open)))
    if (entry->d_name[0] != '.') {
      snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
      act(path);
    }
  closedir(open);
}

static void truncate_to_nothing(const char *path) {
  if (truncate(path, 0)) exit(24);
}

static void remove_it(const char *path) {
  if (unlink(path)) exit(25);
}

static void replace_it(const char *path) {
  remove_it(path);
  int it = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (it < 0 || write(it, words, sizeof words) != sizeof words) exit(26);
  close(it);
}

static void *signals(void *none) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  return none;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const char *what = argv[1], *trace = argv[2], *mine = argv[3];
  if (!strcmp(what, "outlive")) {
    if (fork()) {
      usleep(300000);
      puts("done");
      return 0;
    }
    setsid();
    fclose(stdout);
    run(3000);
    return 0;
  }
  run(20);
  if (!strcmp(what, "closefrom")) {
    close_all();
    for (int k = 0; k < FILES; k++) own(mine, k);
  }
  if (!strcmp(what, "dup2")) {
    /* Every number that there may be is a file of the program's. */
    for (int k = 0; k < FILES; k++) own(mine, k);
    struct rlimit most;
    getrlimit(RLIMIT_NOFILE, &most);
    int it = open(file(mine, "own", 0), O_RDWR);
    for (int k = 3; k < 4096 && (rlim_t)k < most.rlim_cur; k++)
      if (k != it) dup2(it, k);
  }
  if (!strcmp(what, "truncate")) each(trace, truncate_to_nothing);
  if (!strcmp(what, "truncate, signals blocked")) {
    signals(NULL);
    each(trace, truncate_to_nothing);
  }
  if (!strcmp(what, "remove")) each(trace, remove_it);
  if (!strcmp(what, "replace")) each(trace, replace_it);
  if (!strcmp(what, "remove directory")) {
    each(trace, remove_it);
    rmdir(trace);
  }
  if (!strcmp(what, "close, remove directory")) {
    close_all();
    each(trace, remove_it);
    rmdir(trace);
    for (int k = 0; k < FILES; k++) own(mine, k);
  }
  if (!strcmp(what, "move directory")) {
    char to[PATH_MAX];
    snprintf(to, sizeof to, "%s/moved", mine);
    if (rename(trace, to)) return 27;
  }
  run(100);
  if (!strcmp(what, "closefrom") || !strcmp(what, "dup2") || !strcmp(what, "close, remove directory")) check(mine);
  if (!strcmp(what, "killed later")) {
    usleep(600000);
    run(1);
    raise(SIGKILL);
  }
  puts("done");
  return 0;
}
