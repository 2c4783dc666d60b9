// A loop in a lambda.
//
// RUN: %clangxx -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: invoke void @_Z3usei(
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n) {
  auto loop = [=] {
#pragma omp parallel for schedule(static, 10)
    for (int i = 0; i < n; i++) use(i);
  };
  loop();
}
