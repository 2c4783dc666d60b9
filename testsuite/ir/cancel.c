// A cancelled loop leaves through a second exit with its own end.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// LIKE: chunked
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void @__kmpc_for_static_init_4(
// CHECK: call void @__kmpc_for_static_fini(
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n, int *a) {
#pragma omp parallel
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) {
    if (a[i]) {
#pragma omp cancel for
    }
    use(i);
  }
}
