void use(int);
//--- distribute.c
// Dealt to the teams of a league, which have no team of threads to deal to.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: change.rs DISTRIBUTE
// CHECK-NOT: call void @__kmpc_dispatch_init
// REMARK-COUNT-2: its schedule is fixed: it deals to the teams of a league
// REMARK-COUNT-2: remark:

void f(int n) {
#pragma omp distribute
  for (int i = 0; i < n; i++) use(i);
#pragma omp distribute dist_schedule(static, 4)
  for (int i = 0; i < n; i++) use(i);
}
//--- doacross.c
// Iterations wait for earlier ones: under another schedule a thread could wait for what it runs itself, later.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: change.rs DOACROSS
// CHECK-NOT: call void @__kmpc_dispatch_init
// REMARK-COUNT-1: its schedule is fixed: its iterations wait for earlier ones (ordered with a parameter)
// REMARK-COUNT-1: remark:

void f(int n) {
#pragma omp for ordered(1)
  for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
    use(i);
#pragma omp ordered depend(source)
  }
}
//--- ordered.c
// Iterations take turns; each schedule that is dealt keeps the turns, but the runtime must know of them from the first chunk on.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: change.rs ORDERED
// CHECK-COUNT-4: call void @use(
// REMARK-COUNT-2: its schedule is fixed: its iterations take turns (ordered)
// REMARK-COUNT-2: remark:

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
//--- sections.c
// Sections are dealt as the runtime likes, but they are no iterations of the user's.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: change.rs SECTIONS
// CHECK-NOT: call void @__kmpc_dispatch_init
// REMARK-COUNT-2: its schedule is fixed: its iterations are sections
// REMARK-COUNT-2: remark:

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
//--- strided.c
// Each step of the loop is one to the next chunk of the thread: no chunk has bounds of its own.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: change.rs STRIDED
// CHECK-NOT: call void @__kmpc_dispatch_init
// REMARK-COUNT-1: its schedule is fixed: its steps are those from chunk to chunk
// REMARK-COUNT-2: remark:

void f(int n) {
#pragma omp distribute parallel for schedule(static, 1)
  for (int i = 0; i < n; i++) use(i);
}
