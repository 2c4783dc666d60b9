// With sanitizers the test of the chunk and the steps are spread over more blocks.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fsanitize=undefined,address,integer -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// CHECK-COUNT-3: store i32 0, ptr %{{[0-9]*}}, align 4, !nosanitize
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
