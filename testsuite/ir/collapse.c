// A collapsed nest is one loop of 64 bits; a user start and step cannot be told.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i8 64, i32 10503, i32 33, i64 10, i64 0, i64 0, {{.*}} section "ompchunk_loops"
// CHECK: call void @__kmpc_for_static_init_8(
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void @__kmpc_for_static_init_
// CHECK-COUNT-1: call void @__kmpc_for_static_fini(
// REMARK-COUNT-1: instrumented

void use(int, int);
void f(int n, int m) {
#pragma omp parallel for collapse(2) schedule(static, 10)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) use(i, j);
}
