#include "coverage.h"
//--- assume.c
// SHAPE: with `assume no_openmp` in the body
// CANNOT-19: it does not know the directive
// FLAGS: -fopenmp-version=60
void loops(int n) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp assume no_openmp
    { STEP(0, i, n, i); }
  }
}
//--- collapse_2.c
// SHAPE: `collapse(2)`, rectangular
// INSTRUMENTED: 2
void loops(int n) {
  int m = 5;
#pragma omp parallel for collapse(2) schedule(static, 10)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) STEP(0, i * m + j, n * m, i * 100 + j);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = m; j > 0; j--) STEP(1, i * m + m - j, n * m, i * 100 + j);
}
//--- collapse_3.c
// SHAPE: `collapse(3)`, of mixed types and steps
void loops(int n) {
#pragma omp parallel for collapse(3) schedule(static, 4)
  for (int i = 0; i < n; i++)
    for (long j = 3; j > 0; j--)
      for (unsigned k = 0; k < 6; k += 2) STEP(0, (i * 3 + 3 - j) * 3 + k / 2, n * 9, j * 10 + k);
}
//--- collapse_triangle.c
// SHAPE: `collapse(2)`, triangular: the compiler deals the rectangle around it
// INSTRUMENTED: 2
// UNOBSERVED: yes
void loops(int n) {
  int m = n < 12 ? n : 12;
#pragma omp parallel for collapse(2) schedule(static, 4)
  for (int i = 0; i < m; i++)
    for (int j = 0; j < i; j++) MARK(0, i * m + j, i);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++) MARK(1, i * m + j, j);
}
//--- fuse.c
// SHAPE: around `fuse`
// CANNOT-21: it does not know the directive
// FLAGS: -fopenmp-version=60
int others[64];

void loops(int n) {
#pragma omp parallel for schedule(static, 4)
#pragma omp fuse
  {
    for (int i = 0; i < n; i++) STEP(0, i, n, i);
    for (int j = 0; j < n; j++) others[j] = 3 * j;
  }
}
//--- interchange.c
// SHAPE: around `interchange`
// CANNOT-18: it does not know the directive
// FLAGS: -fopenmp-version=60
void loops(int n) {
#pragma omp parallel for schedule(static, 4)
#pragma omp interchange
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < n; j++) {
      if (i == 0) STEP(0, j, n, i * 100 + j);
    }
}
//--- irbuilder_unchunked.c
// SHAPE: OpenMPIRBuilder's `for`
// FLAGS: -Xclang -fopenmp-enable-irbuilder
void loops(int n) {
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- irbuilder_zero_trip.c
// SHAPE: OpenMPIRBuilder's `for schedule(static,10)` without an iteration
// NOTHING-RUNS: yes
// DIES-21: it divides by 0 in the runtime
// FLAGS: -Xclang -fopenmp-enable-irbuilder
void loops(int n) {
#pragma omp parallel
#pragma omp for schedule(static, 10)
  for (int i = n; i < n; i++) STEP(0, i, n, i);
}
//--- order_concurrent.c
// SHAPE: `order(concurrent)`
// FLAGS: -fopenmp-version=50
void loops(int n) {
#pragma omp parallel for schedule(static, 10) order(concurrent)
  for (int i = 0; i < n; i++) STEP(0, i, n, i);
}
//--- reverse.c
// SHAPE: around `reverse`
// CANNOT-18: it does not know the directive
// FLAGS: -fopenmp-version=60
void loops(int n) {
#pragma omp parallel for schedule(static, 4)
#pragma omp reverse
  for (int i = 0; i < n; i++) STEP(0, n - 1 - i, n, i);
}
//--- stripe.c
// SHAPE: around `stripe`
// CANNOT-20: it does not know the directive
// FLAGS: -fopenmp-version=60
void loops(int n) {
#pragma omp parallel for schedule(static, 1)
#pragma omp stripe sizes(4)
  for (int i = 0; i < n; i++) {
    if (i % 4 == 0) STEP(0, i / 4, (n + 3) / 4, i);
  }
}
//--- tile.c
// SHAPE: around `tile`: an iteration is a tile
// FLAGS: -fopenmp-version=51
void loops(int n) {
#pragma omp parallel for schedule(static, 2)
#pragma omp tile sizes(8)
  for (int i = 0; i < n; i++) {
    if (i % 8 == 0) STEP(0, i / 8, (n + 7) / 8, i);
  }
}
//--- tile_2.c
// SHAPE: around `tile` of two loops
// FLAGS: -fopenmp-version=51
void loops(int n) {
#pragma omp parallel for schedule(static, 2)
#pragma omp tile sizes(4, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 9; j++) {
      if (i % 4 == 0 && j == 0) STEP(0, i / 4, (n + 3) / 4, i);
    }
}
//--- unroll.c
// SHAPE: around `unroll partial`: an iteration is an unrolled group
// FLAGS: -fopenmp-version=51
void loops(int n) {
#pragma omp parallel for schedule(static, 2)
#pragma omp unroll partial(4)
  for (int i = 0; i < n; i++) {
    if (i % 4 == 0) STEP(0, i / 4, (n + 3) / 4, i);
  }
}
