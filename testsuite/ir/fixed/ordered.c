// Iterations take turns; each schedule that is dealt keeps the turns, but the runtime must know of them from the first chunk on.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: change.rs ORDERED
// CHECK-COUNT-4: call void @use(
// REMARK-COUNT-2: its schedule is fixed: its iterations take turns (ordered)
// REMARK-COUNT-2: remark:

void use(int);
void f(int n) {
#pragma omp for ordered schedule(static, 2)
  for (int i = 0; i < n; i++) {
#pragma omp ordered
    use(i);
  }
#pragma omp for ordered schedule(dynamic)
  for (int i = 0; i < n; i++) {
#pragma omp ordered
    use(i);
  }
}
