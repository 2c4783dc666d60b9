// Iterations wait for earlier ones: under another schedule a thread could wait for what it runs itself, later.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: change.rs DOACROSS
// CHECK-NOT: call void @__kmpc_dispatch_init
// REMARK-COUNT-1: its schedule is fixed: its iterations wait for earlier ones (ordered with a parameter)
// REMARK-COUNT-1: remark:

void use(int);
void f(int n) {
#pragma omp for ordered(1)
  for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
    use(i);
#pragma omp ordered depend(source)
  }
}
