// What copies an object between the allocation of a task and its start may create tasks itself: the shim is not told
// that there will be one.
//
// RUN: %clangxx -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-4: call ptr @__kmpc_omp_task_alloc(
// CHECK-COUNT-1: , ptr inttoptr (i64 2 to ptr), 
// CHECK-COUNT-1: , ptr inttoptr (i64 1 to ptr), 
// REMARK-COUNT-2: remark:

struct Object {
  Object(const Object &) noexcept;
  int value;
};
void use(int);
void f(const Object &object) {
#pragma omp task firstprivate(object)
  use(object.value);
}
void g(int n) {
#pragma omp task
  use(n);
}
