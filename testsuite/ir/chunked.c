// The usual loop. Enter before the runtime is asked, a chunk event after the bounds are clamped, leave
// before the loop ends, all of it in a copy of the loop over chunks.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// CHECK: @__ompchunk_module_v4 = linkonce_odr hidden global
// CHECK: { i32 64, i16 4, i8 1, i8 32, i32 10527, i32 33, i64 10, i64 0, i64 1, {{.*}} section "ompchunk_loops"
// CHECK: define internal void @{{(f)?}}.omp_outlined{{\.?}}(
// CHECK: load atomic ptr, ptr {{.*}}@__ompchunk_module_v4
// CHECK: call void @__kmpc_for_static_init_4(
// CHECK: call void @__kmpc_for_static_fini(
// CHECK: define linkonce_odr hidden ptr @__ompchunk_resolve_v4(
// CHECK: declare extern_weak {{.*}} @__ompchunk_connect(
// CHECK-NOT: @dlsym(
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void @__kmpc_for_static_init_
// CHECK-COUNT-1: call void @__kmpc_for_static_fini(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK: instrumented static loop, schedule(static,10): with a copy of the loop that reports each chunk
// REMARK-COUNT-1: remark:

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
