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
// CHECK: { i32 48, i16 4, i8 1, i8 32, i32 8607, i32 1073741859, i32 4, i32 0, i32 1, {{.*}} section "ompchunk_loops"
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
// CHECK: { i32 48, i16 4, i8 1, i8 64, i32 8674, i32 1073741860, i32 0, i32 0, i32 0, {{.*}} section "ompchunk_loops"
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
//--- module.c
// What a module gets once, however many loops it has: the record, the resolver, weak references.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: __ompchunk_resolve_v4
// CHECK: $__ompchunk_resolve_v4 = comdat any
// CHECK: $__ompchunk_module_v4 = comdat any
// CHECK: @__ompchunk_module_v4 = linkonce_odr hidden global { i64, i32, i32, ptr, ptr, i32, i32, [12 x ptr], ptr, [4 x ptr], [4 x ptr], ptr } { i64 7741253900701822319, i32 4, i32 216, ptr getelementptr {{.*}}(i8, ptr @__ompchunk_module_v4, i64 32), ptr @__ompchunk_resolve_v4, i32 7, i32 0, [12 x ptr] [ptr @__kmpc_for_static_init_4, ptr @__kmpc_dispatch_init_4, {{.*}} ptr @__kmpc_dispatch_next_8u], ptr @__kmpc_dispatch_deinit, [4 x ptr] [ptr @__ompchunk_enter_4_v4, {{.*}} ptr @__ompchunk_enter_8u_v4], ptr @__ompchunk_enter_asking_v4 }, no_sanitize_address, no_sanitize_hwaddress, comdat, align 8
// CHECK: { i32 9, i32 8, i32 1, [12 x i8] c"ompchunk\00\00\00\00", i64 sub (i64 ptrtoint (ptr @__ompchunk_module_v4 to i64), i64 ptrtoint {{.*}} section ".note.ompchunk", no_sanitize_address, no_sanitize_hwaddress, comdat($__ompchunk_module_v4), align 8
// CHECK: @llvm.compiler.used = appending global [1 x ptr] [ptr @ompchunk.note], section "llvm.metadata"
// CHECK: declare extern_weak {{.*}}@__ompchunk_connect(ptr, ptr)
// CHECK-COUNT-1: @__ompchunk_module_v4 = linkonce_odr hidden global
// CHECK-COUNT-1: define linkonce_odr hidden ptr @__ompchunk_resolve_v4(
// CHECK-COUNT-2: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-2: remark:

void f(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += 1;
}
void g(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] *= 2;
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
//--- not_clonable.c
// A loop whose copy would define a label twice, and one whose labels have addresses: one loop each, with
// a tested flag. Assembly that defines nothing is no obstacle.
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
//--- optnone.c
// A function that asks not to be optimised is treated as at -O0.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-1: call void @use(
// REMARK-COUNT-1: remark:

void use(int);
__attribute__((optnone)) void f(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
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
//--- setjmp_builtin.c
// A loop to which control may come back by LLVM's own setjmp, which has no attribute that says so, is not copied.
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
//--- used_beside_another_loop.c
// The second loop's variables are set before the first one begins, or one of the first's is read where the second may have run:
// they have a frame of their own.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-4: = alloca [176 x i8], align 16
// CHECK-COUNT-4: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-4: instrumented

struct ident {
  int reserved, flags, more[2];
  const char *place;
};
void __kmpc_for_static_init_4(const struct ident *, int, int, int *, int *, int *, int *, int, int);
void __kmpc_for_static_fini(const struct ident *, int);
void use(int);
static const struct ident ident = {0, 0x202, {0, 0}, ";f.c;f;1;1;;"};
#define RUN(last, lower, upper, stride) \
  __kmpc_for_static_init_4(&ident, thread, 34, &last, &lower, &upper, &stride, 1, 1); \
  upper = upper > n ? n : upper; \
  for (int i = lower; i <= upper; i++) use(i); \
  __kmpc_for_static_fini(&ident, thread)

void f(int thread, int n) {
  int last = 0, lower = 0, upper = n, stride = 1, last2 = 0, lower2 = 0, upper2 = n, stride2 = 1;
  RUN(last, lower, upper, stride);
  RUN(last2, lower2, upper2, stride2);
}
void g(int thread, int n, int both) {
  int last = 0, lower = 0, upper = n, stride = 1;
  RUN(last, lower, upper, stride);
  if (both) {
    int last = 0, lower = 0, upper = n, stride = 1;
    RUN(last, lower, upper, stride);
  }
  if (last) use(n);
}
