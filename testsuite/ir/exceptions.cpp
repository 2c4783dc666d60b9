// Landing pads and cleanups inside the body are copied with it.
//
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
