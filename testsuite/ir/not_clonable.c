// A loop whose copy would define a label twice, and one whose labels have addresses: one loop each, with
// a tested flag. Assembly that defines nothing is no obstacle.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f
// CHECK-COUNT-1: call void @one(
// CHECK-COUNT-1: call void @two(
// CHECK-COUNT-2: call void @three(
// CHECK-COUNT-3: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK: instrumented static loop, schedule(static,10): {{.*}} test per chunk in the loop itself (it contains inline assembly that may define a symbol)
// REMARK: instrumented static loop, schedule(static,10): {{.*}} test per chunk in the loop itself (it contains an indirect jump)
// REMARK: instrumented static loop, schedule(static,10): with a copy of the loop

void one(int), two(int), three(int);
void f(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) {
    one(i);
    __asm__("label: nop");
  }
}
void g(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) {
    void *targets[] = {&&even, &&odd};
    goto *targets[i & 1];
  even:
    two(i);
  odd:;
  }
}
void h(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) {
    three(i);
    __asm__ volatile("nop" : "+r"(i) : : "memory");
  }
}
