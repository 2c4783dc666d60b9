// What a module gets once, however many loops it has: the record, the resolver, weak references.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: all
// CHECK-COUNT-1: @__ompchunk_module_v3 = linkonce_odr hidden global
// CHECK-COUNT-1: define linkonce_odr hidden i32 @__ompchunk_resolve_v3(
// CHECK-COUNT-2: , section "ompchunk_loops"
// REMARK-COUNT-2: remark:

void f(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += 1;
}
void g(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] *= 2;
}
