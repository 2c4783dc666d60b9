// A loop in a function of its own, with its value names discarded as in ordinary builds.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fdiscard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void @__kmpc_for_static_init_
// CHECK-COUNT-1: call void @__kmpc_for_static_fini(
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
