void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
//--- chunked.c
// The usual loop. Enter before the runtime is asked, a chunk event after the bounds are clamped, leave
// before the loop ends, all of it in a copy of the loop over chunks.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// CHECK: @__ompchunk_module_v4 = linkonce_odr hidden global
// CHECK: { i32 48, i16 4, i8 1, i8 32, i32 141599, i32 33, i32 10, i32 0, i32 1, {{.*}} section "ompchunk_loops"
// CHECK: define internal void @{{(f)?}}.omp_outlined{{\.?}}(
// CHECK: load atomic ptr, ptr getelementptr {{.*}}@__ompchunk_module_v4, i64 144)
// CHECK: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
// CHECK: call void @__kmpc_for_static_fini(
// CHECK: define linkonce_odr hidden ptr @__ompchunk_resolve_v4(
// CHECK: declare extern_weak {{.*}} @__ompchunk_connect(
// CHECK-NOT: @dlsym(
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
// CHECK-COUNT-1: call void @__kmpc_for_static_fini(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK: instrumented static loop, schedule(static,10): with a copy of the loop that reports each chunk
// REMARK-COUNT-1: remark:
//--- debug_info.c
// With -g the loop lives in another function, and the record knows the position.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -g -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: section "ompchunk_loops"
// CHECK-COUNT-2: call void @use(
// CHECK: debug_info.c
// REMARK: debug_info.c:{{[0-9]+}}:{{[0-9]+}}: instrumented static loop
// REMARK-COUNT-1: instrumented
//--- overflow_checks.c
// With -ftrapv the steps are calls of intrinsics that check for overflow.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -ftrapv -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-1: instrumented
//--- position_independent.c
// As for a shared library: the module record stays hidden, so that every image has its own.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fPIC -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: @__ompchunk_module_v4 = linkonce_odr hidden global
// CHECK: section "ompchunk_loops"
// REMARK-COUNT-1: instrumented
//--- sanitizers.c
// With sanitizers the test of the chunk and the steps are spread over more blocks.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fsanitize=undefined,address,integer -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// CHECK-COUNT-2: store i32 0, ptr %{{[0-9]*}}, align 4, !nosanitize
// REMARK-COUNT-1: instrumented
//--- twice.c
// The pass twice over a module: each loop is instrumented once.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// CHECK-COUNT-1: @__ompchunk_module_v4 = linkonce_odr
// REMARK-COUNT-1: remark:
//--- twice_in_driver.c
// The option given twice.
// RUN: %clang -O0 -fopenmp -S -emit-llvm -fpass-plugin=%plugin -fpass-plugin=%plugin %s -o -
// CHECK-COUNT-1: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
//--- unoptimized.c
// At -O0 there is one loop with a tested flag: a debugger would set its breakpoints in the copy that
// does not run.
// RUN: %clang -O0 -Xclang -disable-O0-optnone -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -passes=instnamer -S | %clang -O0 -fno-discard-value-names -x ir -S -emit-llvm -fpass-plugin=%plugin - -o -
// SNAPSHOT: f.omp_outlined
// LIKE: not_clonable
// CHECK-COUNT-1: call void @use(
// CHECK-COUNT-1: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
