// Dealt to the teams of a league, which have no team of threads to deal to.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: change.rs DISTRIBUTE
// CHECK-NOT: call void @__kmpc_dispatch_init
// REMARK-COUNT-2: its schedule is fixed: it deals to the teams of a league
// REMARK-COUNT-2: remark:

void use(int);
void f(int n) {
#pragma omp distribute
  for (int i = 0; i < n; i++) use(i);
#pragma omp distribute dist_schedule(static, 4)
  for (int i = 0; i < n; i++) use(i);
}
