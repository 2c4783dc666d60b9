// As for a shared library: the module record stays hidden, so that every image has its own.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fPIC -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: @__ompchunk_module_v4 = linkonce_odr hidden global
// CHECK: section "ompchunk_loops"
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
