// Tasks in a loop that is copied: each copy asks for itself.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-4: call ptr @__kmpc_omp_task_alloc(
// CHECK-COUNT-4: call i32 @__kmpc_omp_task(
// REMARK: instrumented task creation
// REMARK: instrumented static loop
// REMARK-COUNT-2: remark:

void use(int);
void f(int n) {
#pragma omp for schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp task
    use(i);
  }
}
