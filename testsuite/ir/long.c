// The entry point 8.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// LIKE: chunked
// CHECK: i8 1, i8 64, i32 10527, i32 33, i64 10, i64 0, i64 1, {{.*}} section "ompchunk_loops"
// CHECK: call void @__kmpc_for_static_init_8(
// CHECK-COUNT-2: call void @use(
// REMARK-COUNT-1: remark:

void use(long);
void f(long n) {
#pragma omp parallel for schedule(static, 10)
  for (long i = 0; i < n; i++) use(i);
}
