// A loop to which control may come back by LLVM's own setjmp, which has no attribute that says so, is not copied.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-1: call i32 @llvm.eh.sjlj.setjmp(
// CHECK-COUNT-1: call void @use(
// REMARK-COUNT-1: remark:
// REMARK: instrumented static loop, schedule(static,10): with a test per chunk in the loop itself (it contains a call that must not be duplicated)

void use(int);
void f(int n) {
#pragma omp parallel
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) {
    void *back[5];
    if (__builtin_setjmp(back) == 0) use(i);
  }
}
