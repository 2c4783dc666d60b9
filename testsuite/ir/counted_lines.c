// What gcov counts are the user's own blocks: one loop, without a copy and without a branch of ours.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes --coverage -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-3: call void @use(
// CHECK-COUNT-2: call void @.ompchunk.ask(
// CHECK-COUNT-2: call void @.ompchunk.chunk(
// CHECK-COUNT-2: call void @.ompchunk.leave(
// CHECK-COUNT-2: call void @.ompchunk.tell
// REMARK: with a test per chunk in the loop itself (compiled for coverage)
// REMARK-COUNT-3: instrumented

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
#pragma omp parallel for
  for (int i = 0; i < n; i++) use(i);
}
void g(int n) {
#pragma omp task
  use(n);
}
