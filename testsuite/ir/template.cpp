// Each instantiation of a template has a record of its own.
//
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
