//--- cancel.c
// A cancelled loop leaves through a second exit with its own end.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// LIKE: chunked
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
// CHECK: call void @__kmpc_for_static_fini(
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n, int *a) {
#pragma omp parallel
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) {
    if (a[i]) {
#pragma omp cancel for
    }
    use(i);
  }
}
//--- data_sharing.c
// Code around the loop: the stores of firstprivate before it, those of lastprivate and reduction after.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
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
//--- dealt.c
// Loops whose chunks the runtime deals. Enter before the runtime is asked, in a copy of the loop a chunk event
// for each chunk that it deals, leave on every way out.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// CHECK: { i32 64, i16 4, i8 1, i8 32, i32 8607, i32 1073741859, i64 4, i64 0, i64 1, {{.*}} section "ompchunk_loops"
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-2: call void @done(
// CHECK-COUNT-4: call void @__kmpc_dispatch_init_4
// CHECK-COUNT-4: call i32 @__kmpc_dispatch_next_4
// CHECK-COUNT-2: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK: instrumented loop, schedule(dynamic,4): with a copy of the loop that reports each chunk
// REMARK: instrumented loop, ordered schedule(guided,c): with a copy of the loop that reports each chunk
// REMARK-COUNT-2: remark:

void use(int);
void done(int);
void f(int n, unsigned chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) {
      use(i);
#pragma omp cancel for if (i > 10)
    }
#pragma omp for ordered schedule(guided, chunk) nowait
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      done(i);
    }
  }
}
//--- dealt_long.c
// A long variable, with a first value and a step that are only known when the loop runs.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: { i32 64, i16 4, i8 1, i8 64, i32 8674, i32 1073741860, i64 0, i64 0, i64 0, {{.*}} section "ompchunk_loops"
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-2: call void @__kmpc_dispatch_init_8
// CHECK-COUNT-2: call i32 @__kmpc_dispatch_next_8
// REMARK: instrumented loop, schedule(guided,c): with a copy of the loop that reports each chunk

void use(long);
void f(long low, long high, long by, int chunk) {
#pragma omp parallel for schedule(guided, chunk)
  for (long i = low; i < high; i += by) use(i);
}
//--- loop_of_switch.c
// A switch on the user's own variable, and one on what is computed of it, do not make sections of a loop.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-2: instrumented static loop, schedule(static): one chunk per thread
// REMARK-COUNT-2: remark:

void use(int);
void f(void) {
#pragma omp for
  for (int i = 0; i < 2; i++)
    switch (i) {
    case 0: use(1); break;
    case 1: use(2); break;
    }
#pragma omp for
  for (unsigned i = 0; i < 100; i++)
    switch (i / 10 + 1) {
    case 3: use(3); break;
    default: use(4);
    }
}
//--- nested_construct.c
// A region inside the body, whose own loop is in a function of its own.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// CHECK-COUNT-2: call void @use(
// REMARK-COUNT-2: instrumented

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) {
#pragma omp parallel for schedule(static, 2)
    for (int j = 0; j < i; j++) use(j);
  }
}
//--- sections.c
// Each section is told of where it begins, in the copy alone, by a call that is not made one with another.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// CHECK-COUNT-2: call void @use(i32 noundef 0)
// CHECK-COUNT-1: { nomerge nounwind }
// REMARK-COUNT-1: instrumented sections: with a copy of the loop that reports each chunk; its schedule is fixed: its iterations are sections
// REMARK-COUNT-1: remark:

void use(int);
void f(void) {
#pragma omp parallel sections
  {
    use(0);
#pragma omp section
    {
    }
#pragma omp section
    use(2);
  }
}
//--- several_loops.c
// Several loops in one function, one of them dealt by the runtime.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
// CHECK-COUNT-2: call void @__kmpc_dispatch_init_4(
// CHECK-COUNT-2: call void @one(
// CHECK-COUNT-1: call void @two(
// CHECK-COUNT-2: call void @three(
// CHECK-COUNT-3: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-3: remark:

void one(int), two(int), three(int);
void f(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 10) nowait
    for (int i = 0; i < n; i++) one(i);
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) two(i);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; i++) three(i);
  }
}
//--- tasks.c
// Where tasks are created: ask before the allocation, leave after each call that hands the task over, and no
// time for the wait in between.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f
// CHECK-COUNT-4: call ptr @__kmpc_omp_task_alloc(
// CHECK-COUNT-2: call i32 @__kmpc_omp_task_with_deps(
// CHECK-COUNT-2: call void @__kmpc_omp_task_begin_if0(
// CHECK-COUNT-2: call void @__kmpc_taskloop(
// CHECK-COUNT-0: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK: instrumented task creation
// REMARK-COUNT-2: remark:

void use(int);
void f(int n, int *p) {
#pragma omp task depend(inout : p[0]) if (n)
  use(n);
#pragma omp taskloop grainsize(4) nogroup
  for (int i = 0; i < n; i++) use(i);
}
//--- tasks_in_loop.c
// Tasks in a loop that is copied: each copy asks for itself.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-4: call ptr @__kmpc_omp_task_alloc(
// CHECK-COUNT-4: call i32 @__kmpc_omp_task(
// REMARK: instrumented task creation
// REMARK: instrumented static loop
// REMARK-COUNT-2: remark:

void use(int);
void f(int n) {
#pragma omp for schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp task
    use(i);
  }
}
//--- tasks_untied.c
// An untied task hands itself over once more; only its creation is one.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f
// CHECK-COUNT-2: call ptr @__kmpc_omp_task_alloc(
// CHECK-COUNT-2: call ptr %{{.*}}, ptr @__ompchunk_module_v4)
// REMARK: instrumented task creation
// REMARK-COUNT-1: remark:

void use(int);
void f(int n) {
#pragma omp task untied
  {
    use(n);
#pragma omp taskyield
    use(n + 1);
  }
}
