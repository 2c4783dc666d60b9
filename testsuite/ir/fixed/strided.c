// Each step of the loop is one to the next chunk of the thread: no chunk has bounds of its own.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: change.rs STRIDED
// CHECK-NOT: call void @__kmpc_dispatch_init
// REMARK-COUNT-1: its schedule is fixed: its steps are those from chunk to chunk
// REMARK-COUNT-2: remark:

void use(int);
void f(int n) {
#pragma omp distribute parallel for schedule(static, 1)
  for (int i = 0; i < n; i++) use(i);
}
