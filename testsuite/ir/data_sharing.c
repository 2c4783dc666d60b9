// Code around the loop: the stores of firstprivate before it, those of lastprivate and reduction after.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void @__kmpc_for_static_init_
// CHECK-COUNT-1: call void @__kmpc_for_static_fini(
// CHECK: call i32 @__kmpc_reduce
// REMARK-COUNT-1: instrumented

void use(double);
double f(int n, double *a, double first) {
  double sum = 0, last = 0;
#pragma omp parallel for schedule(static, 10) reduction(+ : sum) lastprivate(last) firstprivate(first)
  for (int i = 0; i < n; i++) {
    use(first);
    first += a[i], sum += a[i], last = a[i];
  }
  return sum + last;
}
