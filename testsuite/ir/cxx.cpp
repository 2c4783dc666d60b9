//--- exceptions.cpp
// Landing pads and cleanups inside the body are copied with it.
// RUN: %clangxx -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: _Z1fiPd.omp_outlined
// LIKE: chunked
// CHECK-COUNT-2: invoke void @_Z3useiR1S(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-1: instrumented

struct S {
  S();
  ~S();
  double v;
};
void use(int, S &);
void f(int n, double *a) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) {
    S s;
    try {
      use(i, s);
    } catch (int e) {
      a[i] = e;
    }
  }
}
//--- lambda.cpp
// A loop in a lambda.
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
//--- range_for.cpp
// Range-based for over a class: 64 bits, and no user start or step.
// RUN: %clangxx -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i8 64, i32 141575, i32 33, i32 10, i32 0, i32 0, {{.*}} section "ompchunk_loops"
// CHECK: load atomic ptr, ptr getelementptr {{.*}}@__ompchunk_module_v4, i64 160)
// CHECK-COUNT-2: invoke void @_Z3usePd(
// REMARK-COUNT-1: instrumented

struct View {
  double *first, *last;
  double *begin() { return first; }
  double *end() { return last; }
};
void use(double *);
void f(View view) {
#pragma omp parallel for schedule(static, 10)
  for (double &x : view) use(&x);
}
//--- tasks_copied.cpp
// What copies an object between the allocation of a task and its start may create tasks itself: the shim is not told
// that there will be one.
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
//--- template.cpp
// Each instantiation of a template has a record of its own.
// RUN: %clangxx -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-2: instrumented

void use(float *), use(double *);
template <class T> void f(int n, T *a) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(a + i);
}
template void f<float>(int, float *);
template void f<double>(int, double *);
