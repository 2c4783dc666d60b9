// Range-based for over a class: 64 bits, and no user start or step.
//
// RUN: %clangxx -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i8 64, i32 10503, i32 33, i64 10, i64 0, i64 0, {{.*}} section "ompchunk_loops"
// CHECK: call void @__kmpc_for_static_init_8(
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
