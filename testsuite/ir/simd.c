// The combined construct with simd; with if, its body has two inner loops.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-4: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n, int v) {
#pragma omp parallel
#pragma omp for simd schedule(static, 10) if (v)
  for (int i = 0; i < n; i++) use(i);
}
