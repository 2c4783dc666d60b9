// What a module gets once, however many loops it has: the record, the resolver, weak references.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: __ompchunk_resolve_v4
// CHECK: $__ompchunk_resolve_v4 = comdat any
// CHECK: $__ompchunk_module_v4 = comdat any
// CHECK: @__ompchunk_module_v4 = linkonce_odr hidden global { i64, i32, i32, ptr, ptr, i32, i32, [12 x ptr], ptr } { i64 7741253900701822319, i32 4, i32 144, ptr getelementptr {{.*}}(i8, ptr @__ompchunk_module_v4, i64 32), ptr @__ompchunk_resolve_v4, i32 7, i32 0, [12 x ptr] [ptr @__kmpc_for_static_init_4, ptr @__kmpc_dispatch_init_4, {{.*}} ptr @__kmpc_dispatch_next_8u], ptr @__kmpc_dispatch_deinit }, no_sanitize_address, no_sanitize_hwaddress, comdat, align 8
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
