/* Opens and closes libraries with instrumented loops, by the words of the command line:
 *
 *   open PATH, global PATH, deep PATH   dlopen with RTLD_LOCAL, RTLD_GLOBAL, RTLD_LOCAL | RTLD_DEEPBIND
 *   loop N CHUNK THREADS                the loop of the library opened last
 *   own N CHUNK THREADS                 a loop of the program's own, if it is built with OWN
 *   close                               of the library opened last
 *   set NAME VALUE, unset NAME          the environment
 *
 * A loop's line is the number of its word. */
#ifdef OWN
void guest_loop(unsigned line, int n, int chunk, int threads);
#endif
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void loop_fn(unsigned line, int n, int chunk, int threads);

static void *opened[64];
static int count;

static void open_library(const char *path, int flags) {
  void *library = dlopen(path, RTLD_NOW | flags);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  opened[count++] = library;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  for (int k = 1; k < argc; k++) {
    char **word = argv + k;
    if (!strcmp(*word, "open")) {
      open_library(word[1], RTLD_LOCAL), k++;
    } else if (!strcmp(*word, "global")) {
      open_library(word[1], RTLD_GLOBAL), k++;
    } else if (!strcmp(*word, "deep")) {
      open_library(word[1], RTLD_LOCAL | RTLD_DEEPBIND), k++;
    } else if (!strcmp(*word, "loop")) {
      loop_fn *loop = (loop_fn *)dlsym(opened[count - 1], "guest_loop");
      loop((unsigned)k, atoi(word[1]), atoi(word[2]), atoi(word[3])), k += 3;
#ifdef OWN
    } else if (!strcmp(*word, "own")) {
      guest_loop((unsigned)k, atoi(word[1]), atoi(word[2]), atoi(word[3])), k += 3;
#endif
    } else if (!strcmp(*word, "close")) {
      dlclose(opened[--count]);
    } else if (!strcmp(*word, "set")) {
      setenv(word[1], word[2], 1), k += 2;
    } else if (!strcmp(*word, "unset")) {
      unsetenv(word[1]), k++;
    } else {
      fprintf(stderr, "unknown word %s\n", *word);
      return 2;
    }
  }
  printf("done\n");
  return 0;
}
