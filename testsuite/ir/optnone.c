// A function that asks not to be optimised is treated as at -O0.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-1: call void @use(
// REMARK-COUNT-1: remark:

void use(int);
__attribute__((optnone)) void f(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
