// Which loops give the same results in sub-blocks: 2048 in the flags; or may not: 4096. A module that has operations which may be
// reordered anywhere is asked of each call that leads out of it.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -S
// SNAPSHOT: wanted.omp_outlined
// LIKE: unchunked
// CHECK: i8 1, i8 32, i32 10521, i32 34, {{.*}} @ompchunk.text.strict{{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 12569, i32 34, {{.*}} @ompchunk.text.reordered{{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 10521, i32 34, {{.*}} @ompchunk.text.inside{{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 12569, i32 34, {{.*}} @ompchunk.text.below{{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 12569, i32 34, {{.*}} @ompchunk.text.beyond{{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 13593, i32 34, {{.*}} @ompchunk.text.wanted{{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 11545, i32 34, {{.*}} @ompchunk.text.integers{{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 13599, i32 33, {{.*}} @ompchunk.text.chunks{{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 8607, i32 1073741859, {{.*}} @ompchunk.text.dealt{{.*}} section "ompchunk_loops"
double outside(double);
static double same(double x) { return x * x + 1; }
static double other(double x) {
#pragma clang fp reassociate(on)
  return x * x + 1 + x;
}
static double calls_other(double x) { return other(x) + 1; }
static double calls_out(double x) { return outside(x); }

double strict(int n, const double *a) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += a[i] * 2;
  return sum;
}
double reordered(int n, const double *a) {
#pragma clang fp reassociate(on)
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += a[i] * 2;
  return sum;
}
void inside(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = same(a[i]);
}
void below(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = calls_other(a[i]);
}
void beyond(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = calls_out(a[i]);
}
void wanted(int n, double *a) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) a[i] += 1;
}
void integers(int n, int *a) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) a[i] += 1;
}
void chunks(int n, double *a) {
#pragma omp parallel for simd schedule(static, 64)
  for (int i = 0; i < n; i++) a[i] += 1;
}
void dealt(int n, double *a) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) a[i] += 1;
}
