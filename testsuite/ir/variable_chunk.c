// A chunk size that only the program knows.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i32 10523, i32 33, i64 0, i64 0, i64 1, {{.*}} section "ompchunk_loops"
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void @__kmpc_for_static_init_
// CHECK-COUNT-1: call void @__kmpc_for_static_fini(
// REMARK: instrumented static loop, schedule(static,c)

void use(int);
void f(int n, int c) {
#pragma omp parallel for schedule(static, c)
  for (int i = 0; i < n; i++) use(i);
}
