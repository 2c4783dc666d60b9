#include "coverage.h"
//--- flags.c
// SHAPE: int and unsigned, with and without a chunk
// INSTRUMENTED: 4
// VARIANT: -O0
// VARIANT: -O0 -g
// VARIANT: -O3 -g
// VARIANT: -Os -fPIC
// VARIANT: -ftrapv
// VARIANT: -fsanitize=address
// VARIANT: -fsanitize=undefined
// VARIANT: -fsanitize=thread
// VARIANT: -fsanitize=integer
// VARIANT: profile
// VARIANT: -fprofile-instr-generate -fcoverage-mapping
// VARIANT: -flto=thin -fuse-ld=lld
// VARIANT: -flto=full -fuse-ld=lld
void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp parallel for
  for (int i = 0; i < n; i++) STEP(1, i, n, i);
  unsigned m = (unsigned)n;
#pragma omp parallel for schedule(static, 10)
  for (unsigned i = 0; i < m; i++) STEP(2, i, n, i);
#pragma omp parallel for
  for (unsigned i = 0; i < m; i++) STEP(3, i, n, i);
}
//--- flags_more.c
// SHAPE: collapse, negative step, long, reduction
// INSTRUMENTED: 4
// VARIANT: -ftrapv
// VARIANT: -fsanitize=address
// VARIANT: -fsanitize=undefined
// VARIANT: -fsanitize=thread
// VARIANT: -fsanitize=integer
// VARIANT: profile
// VARIANT: -fprofile-instr-generate -fcoverage-mapping
// VARIANT: -flto=thin -fuse-ld=lld
void loops(int n) {
  long sum = 0;
#pragma omp parallel for collapse(2) schedule(static, 10)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 5; j++) STEP(0, i * 5 + j, n * 5, i);
#pragma omp parallel for schedule(static, 4)
  for (int i = n; i > 0; i--) STEP(1, n - i, n, i);
#pragma omp parallel for schedule(static, 4) reduction(+ : sum)
  for (long i = 0; i < n; i++) {
    STEP(2, i, n, i);
    sum += i;
  }
#pragma omp parallel for simd
  for (long i = 0; i < n; i++) STEP(3, i, n, i);
  printf("%ld\n", sum);
}
//--- for_simd.c
// SHAPE: `for simd`, with and without a chunk
// INSTRUMENTED: 2
void loops(int n) {
#pragma omp parallel
  {
#pragma omp for simd
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for simd schedule(static, 10)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
  }
}
//--- for_simd_if.c
// SHAPE: `for simd schedule(static,10) if(v)`: two loops in the body
// FLAGS: -fopenmp-version=50
void loops(int n) {
#pragma omp parallel
#pragma omp for simd schedule(static, 10) if (simd : n % 2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- for_simd_if_unchunked.c
// SHAPE: `for simd if(v)`: the compiler asks the runtime in two places
// INSTRUMENTED: 2
// FLAGS: -fopenmp-version=50
void loops(int n) {
#pragma omp parallel
#pragma omp for simd if (simd : n % 2)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- nowait.c
// SHAPE: `nowait`, then another loop
// INSTRUMENTED: 2
void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 10) nowait
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
#pragma omp for schedule(static, 10)
    for (int i = 0; i < n; i++) STEP(1, i, n, i);
  }
}
//--- simd_static.c
// SHAPE: `schedule(simd:static)`
void loops(int n) {
#pragma omp parallel for simd schedule(simd : static)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- simd_static_chunked.c
// SHAPE: `schedule(simd:static,4)`
// INSTRUMENTED: 0
// ALONE: schedule(simd:static,c) runs iterations several times with this compiler, so no chunk event could be right
// WRONG: iterations run several times
void loops(int n) {
#pragma omp parallel for simd schedule(simd : static, 4)
  for (int i = 0; i < n; i++) COUNT(0, i);
}
//--- static.c
// SHAPE: `parallel for`
// USER: 0
void loops(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- static_1.c
// SHAPE: `parallel for schedule(static,1)`
// USER: 0
void loops(int n) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- static_10.c
// SHAPE: `parallel for schedule(static,10)`
// USER: 0
void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- static_clause.c
// SHAPE: `parallel for schedule(static)`
void loops(int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- static_larger.c
// SHAPE: a chunk larger than the loop
// USER: 0
void loops(int n) {
#pragma omp parallel for schedule(static, 1000)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- static_variable.c
// SHAPE: a chunk size known at run time
// USER: 0
void loops(int n) {
  int chunk = n % 7 + 1;
#pragma omp parallel for schedule(static, chunk)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
