// With -g the loop lives in another function, and the record knows the position.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -g -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: section "ompchunk_loops"
// CHECK-COUNT-2: call void @use(
// CHECK: debug_info.c
// REMARK: debug_info.c:{{[0-9]+}}:{{[0-9]+}}: instrumented static loop
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
