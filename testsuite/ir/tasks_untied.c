// An untied task hands itself over once more; only its creation is one.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f
// CHECK-COUNT-2: call ptr @__kmpc_omp_task_alloc(
// CHECK-COUNT-2: call ptr %{{.*}}, ptr @__ompchunk_module_v4)
// REMARK: instrumented task creation
// REMARK-COUNT-1: remark:

void use(int);
void f(int n) {
#pragma omp task untied
  {
    use(n);
#pragma omp taskyield
    use(n + 1);
  }
}
