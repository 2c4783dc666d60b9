// Without a chunk size there is no loop over chunks: one guarded call, no copy.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// CHECK-COUNT-1: call void @use(
// CHECK: i32 34, i64 0, i64 0, i64 1, {{.*}} section "ompchunk_loops"
// REMARK: instrumented static loop, schedule(static)
// REMARK-COUNT-1: remark:

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) use(i);
}
