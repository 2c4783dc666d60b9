// Sections are dealt as the runtime likes, but they are no iterations of the user's.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: change.rs SECTIONS
// CHECK-NOT: call void @__kmpc_dispatch_init
// REMARK-COUNT-2: its schedule is fixed: its iterations are sections
// REMARK-COUNT-2: remark:

void use(int);
void f(void) {
#pragma omp sections nowait
  {
    use(1);
#pragma omp section
    use(2);
  }
#pragma omp sections
  {
    use(3);
  }
}
