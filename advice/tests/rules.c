/* Which thread ran which iterations, as the runtime itself deals them: "thread lower upper", a line per chunk.
 * rules THREADS TRIPS static|cyclic|dynamic|monotonic|guided|alone_4|alone_8 CHUNK */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int reserved, flags, more[2];
  const char *place;
} ident;

int __kmpc_global_thread_num(ident *);
void __kmpc_for_static_init_8(ident *, int, int, int *, long *, long *, long *, long, long);
void __kmpc_for_static_fini(ident *, int);
void __kmpc_dispatch_init_4(ident *, int, int, int, int, int, int);
int __kmpc_dispatch_next_4(ident *, int, int *, int *, int *, int *);
void __kmpc_dispatch_init_8(ident *, int, int, long, long, long, long);
int __kmpc_dispatch_next_8(ident *, int, int *, long *, long *, long *);

static ident here = {0, 2, {0, 0}, ";rules.c;main;1;1;;"};

static void say(long lower, long upper) {
#pragma omp critical
  printf("%d %ld %ld\n", omp_get_thread_num(), lower, upper);
}

static void by_compiler(int kind, long trips, long chunk) {
  int last = 0, thread = __kmpc_global_thread_num(&here);
  long lower = 0, upper = trips - 1, stride = 1;
  __kmpc_for_static_init_8(&here, thread, kind, &last, &lower, &upper, &stride, 1, chunk);
  for (; lower <= upper && lower < trips; lower += stride, upper += stride) {
    say(lower, upper < trips ? upper : trips - 1);
    if (kind == 34) break;
  }
  __kmpc_for_static_fini(&here, thread);
}

static void by_runtime(int kind, long trips, long chunk) {
  int last = 0, thread = __kmpc_global_thread_num(&here);
  int lower = 0, upper = 0, stride = 1;
  __kmpc_dispatch_init_4(&here, thread, kind, 0, (int)trips - 1, 1, (int)chunk);
  while (__kmpc_dispatch_next_4(&here, thread, &last, &lower, &upper, &stride)) say(lower, upper);
}

/* All begin, then thread 0 runs its own part and takes all others, while they wait. */
static void alone_4(long trips, long chunk) {
  int last = 0, thread = __kmpc_global_thread_num(&here);
  int lower = 0, upper = 0, stride = 1;
  __kmpc_dispatch_init_4(&here, thread, 35 | 1 << 30, 0, (int)trips - 1, 1, (int)chunk);
#pragma omp barrier
  while (!omp_get_thread_num() && __kmpc_dispatch_next_4(&here, thread, &last, &lower, &upper, &stride))
    say(lower, upper);
#pragma omp barrier
  while (omp_get_thread_num() && __kmpc_dispatch_next_4(&here, thread, &last, &lower, &upper, &stride))
    say(lower, upper);
}

static void alone_8(long trips, long chunk) {
  int last = 0, thread = __kmpc_global_thread_num(&here);
  long lower = 0, upper = 0, stride = 1;
  __kmpc_dispatch_init_8(&here, thread, 35 | 1 << 30, 0, trips - 1, 1, chunk);
#pragma omp barrier
  while (!omp_get_thread_num() && __kmpc_dispatch_next_8(&here, thread, &last, &lower, &upper, &stride))
    say(lower, upper);
#pragma omp barrier
  while (omp_get_thread_num() && __kmpc_dispatch_next_8(&here, thread, &last, &lower, &upper, &stride))
    say(lower, upper);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  long trips = atol(argv[2]), chunk = atol(argv[4]);
  omp_set_dynamic(0);
#pragma omp parallel num_threads(atoi(argv[1]))
  {
    if (!strcmp(argv[3], "static"))
      by_compiler(34, trips, 0);
    else if (!strcmp(argv[3], "cyclic"))
      by_compiler(33, trips, chunk);
    else if (!strcmp(argv[3], "dynamic"))
      by_runtime(35 | 1 << 30, trips, chunk);
    else if (!strcmp(argv[3], "alone_4"))
      alone_4(trips, chunk);
    else if (!strcmp(argv[3], "alone_8"))
      alone_8(trips, chunk);
    else if (!strcmp(argv[3], "monotonic"))
      by_runtime(35 | 1 << 29, trips, chunk);
    else if (!strcmp(argv[3], "guided")) by_runtime(36 | 1 << 30, trips, chunk);
  }
  return 0;
}
