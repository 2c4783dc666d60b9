//--- debug_info.c
// With -g the loop lives in another function, and the record knows the position.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -g -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: section "ompchunk_loops"
// CHECK-COUNT-2: call void @use(
// CHECK: debug_info.c
// REMARK: debug_info.c:{{[0-9]+}}:{{[0-9]+}}: instrumented static loop
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
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
//--- overflow_checks.c
// With -ftrapv the steps are calls of intrinsics that check for overflow.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -ftrapv -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
//--- position_independent.c
// As for a shared library: the module record stays hidden, so that every image has its own.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fPIC -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: @__ompchunk_module_v4 = linkonce_odr hidden global
// CHECK: section "ompchunk_loops"
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
//--- sanitizers.c
// With sanitizers the test of the chunk and the steps are spread over more blocks.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fsanitize=undefined,address,integer -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// CHECK-COUNT-2: store i32 0, ptr %{{[0-9]*}}, align 4, !nosanitize
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
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
//--- twice.c
// The pass twice over a module: each loop is instrumented once.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// CHECK-COUNT-1: @__ompchunk_module_v4 = linkonce_odr
// REMARK-COUNT-1: remark:

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
//--- twice_in_driver.c
// The option given twice.
// RUN: %clang -O0 -fopenmp -S -emit-llvm -fpass-plugin=%plugin -fpass-plugin=%plugin %s -o -
// CHECK-COUNT-1: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
//--- unoptimized.c
// At -O0 there is one loop with a tested flag: a debugger would set its breakpoints in the copy that
// does not run.
// RUN: %clang -O0 -Xclang -disable-O0-optnone -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -passes=instnamer -S | %clang -O0 -fno-discard-value-names -x ir -S -emit-llvm -fpass-plugin=%plugin - -o -
// SNAPSHOT: f.omp_outlined
// LIKE: not_clonable
// CHECK-COUNT-1: call void @use(
// CHECK-COUNT-1: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
