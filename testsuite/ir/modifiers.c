// Modifier bits do not change the form, and the record keeps them.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i32 536870945, i64 4, {{.*}} section "ompchunk_loops"
// CHECK: i32 1073741857, i64 4, {{.*}} section "ompchunk_loops"
// CHECK-COUNT-4: call void @use(
// REMARK: instrumented static loop, schedule(monotonic:static,4)
// REMARK: instrumented static loop, schedule(nonmonotonic:static,4)

void use(int);
void f(int n) {
#pragma omp for schedule(monotonic : static, 4)
  for (int i = 0; i < n; i++) use(i);
}
void g(int n) {
#pragma omp for schedule(nonmonotonic : static, 4)
  for (int i = 0; i < n; i++) use(i);
}
