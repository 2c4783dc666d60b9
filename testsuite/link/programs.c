//--- hundred_alone.c
// A hundred loops of one iteration outside of regions, where the runtime reports none, nor whose it is.
static void one(double *a) {
#pragma omp for
  for (int i = 0; i < 1; i++) a[i] += 1;
}

int main(void) {
  double a[1] = {0};
  for (int i = 0; i < 100; i++) one(a);
  return a[0] != 100;
}
//--- hundred_chunks.c
// The program of the LLVM issue on missing dispatch events: schedule(static,1), 100 iterations, 2
// threads.
static double a[100];

int main(void) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 100; i++) a[i] += i;
  return a[99] != 99;
}
//--- images.c
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
//--- objects.c
// The main program of several objects in one link.
#include "../run/program.h"

void part_1(int), part_2(int);

int main(void) {
  for (int n = 0; n < 30; n += 13) part_1(n), part_2(n);
  return 0;
}
//--- opens.c
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
//--- part.c
// One image or object of a larger program: a chunked and an unchunked loop. PART is its number, and
// its loops are 2*PART and 2*PART+1.
//
// LOOPS: 2
#include "../run/program.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

__attribute__((visibility("default"))) void JOIN(part_, PART)(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) STEP(2 * PART, i, n, i);
#pragma omp for
    for (int i = 0; i < n; i++) STEP(2 * PART + 1, i, n, i);
  }
  report(2 * PART);
  report(2 * PART + 1);
}

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void begin(void) { JOIN(part_, PART)(29); }
#endif
//--- race.c
// Loops whose only order is the runtime's barriers, which a race detector must hear of; with RACE, one that has none.
#include <stdio.h>

static double a[100];
static int sum;

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < 100; i++) a[i] += i;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 100; i++) a[99 - i] += 1;
#pragma omp critical
    sum++;
  }
#if RACE
#pragma omp parallel for schedule(static, 3) num_threads(4)
  for (int i = 0; i < 1000; i++) sum += i;
#endif
  printf("done %g\n", a[0] + (sum > 0));
  return 0;
}
//--- sections.c
/* Five sections, each of which tells the tool that it runs, and in which line. */
#include <stddef.h>

__attribute__((visibility("default"))) void (*section_hook)(int section, int line);

#define RUNS(section)                                                                              \
  if (section_hook) section_hook(section, __LINE__)

int main(void) {
  for (int time = 0; time < 50; time++) {
#pragma omp parallel sections
    {
      RUNS(0);
#pragma omp section
      RUNS(1);
#pragma omp section
      RUNS(2);
#pragma omp section
      RUNS(3);
#pragma omp section
      RUNS(4);
    }
  }
  return 0;
}
