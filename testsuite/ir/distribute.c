// Loops dealt to teams: chunked with a copy, unchunked, and combined with a worksharing loop, which the
// compiler puts into a function of its own.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: g.omp_outlined h.omp_outlined.omp_outlined
// LIKE: chunked
// CHECK: i8 2, i8 32, i32 31, i32 91, i64 4, i64 0, i64 1, {{.*}} section "ompchunk_loops"
// CHECK: i8 2, i8 32, i32 {{[0-9]+}}, i32 92, i64 0, {{.*}} section "ompchunk_loops"
// CHECK-COUNT-6: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// CHECK-COUNT-2: call void @one(
// CHECK-COUNT-1: call void @two(
// CHECK-COUNT-2: call void @three(
// CHECK-COUNT-2: call void @four(
// REMARK-COUNT-6: instrumented
// REMARK-COUNT-6: remark:

void one(int), two(int), three(int), four(int);
void f(int n) {
#pragma omp teams distribute dist_schedule(static, 4)
  for (int i = 0; i < n; i++) one(i);
}
void g(int n) {
#pragma omp teams distribute
  for (int i = 0; i < n; i++) two(i);
}
void h(int n) {
#pragma omp teams distribute parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) three(i);
}
void k(int n) {
#pragma omp teams distribute parallel for schedule(static, 1)
  for (int i = 0; i < n; i++) four(i);
}
