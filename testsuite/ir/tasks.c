// Where tasks are created: ask before the allocation, leave after each call that hands the task over, and no
// time for the wait in between.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f
// CHECK-COUNT-4: call ptr @__kmpc_omp_task_alloc(
// CHECK-COUNT-2: call i32 @__kmpc_omp_task_with_deps(
// CHECK-COUNT-2: call void @__kmpc_omp_task_begin_if0(
// CHECK-COUNT-2: call void @__kmpc_taskloop(
// CHECK-COUNT-0: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK: instrumented task creation
// REMARK-COUNT-2: remark:

void use(int);
void f(int n, int *p) {
#pragma omp task depend(inout : p[0]) if (n)
  use(n);
#pragma omp taskloop grainsize(4) nogroup
  for (int i = 0; i < n; i++) use(i);
}
