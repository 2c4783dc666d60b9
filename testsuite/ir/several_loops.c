// Several loops in one function, one of them dealt by the runtime.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @__kmpc_for_static_init_4(
// CHECK-COUNT-2: call void @__kmpc_dispatch_init_4(
// CHECK-COUNT-2: call void @one(
// CHECK-COUNT-1: call void @two(
// CHECK-COUNT-2: call void @three(
// CHECK-COUNT-3: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-3: remark:

void one(int), two(int), three(int);
void f(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 10) nowait
    for (int i = 0; i < n; i++) one(i);
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) two(i);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; i++) three(i);
  }
}
