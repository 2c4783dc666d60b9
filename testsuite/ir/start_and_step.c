// The record knows the user's start and step where they are constants; run-time values are passed to
// enter.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: variable
// LIKE: chunked
// CHECK: i32 2335, i32 33, i64 10, i64 100, i64 3, {{.*}} section "ompchunk_loops"
// CHECK: i32 2358, i32 33, i64 10, i64 0, i64 -3, {{.*}} section "ompchunk_loops"
// CHECK: i32 2406, i32 33, i64 10, i64 0, i64 0, {{.*}} section "ompchunk_loops"
// CHECK: define dso_local void @down(
// CHECK: getelementptr {{.*}}i8, ptr %{{.*}}, i64 56
// CHECK: define dso_local void @variable(
// CHECK: getelementptr {{.*}}i8, ptr %{{.*}}, i64 104
// CHECK-COUNT-3: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-3: instrumented

void use(int);
void up(void) {
#pragma omp for schedule(static, 10)
  for (int i = 100; i < 200; i += 3) use(i);
}
void down(int n) {
#pragma omp for schedule(static, 10)
  for (int i = n; i > 0; i -= 3) use(i);
}
void variable(int lo, int n, int s) {
#pragma omp for schedule(static, 10)
  for (int i = lo; i < n; i += s) use(i);
}
