// The entry point 4u.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// LIKE: chunked
// CHECK: i8 1, i8 32, i32 10526, i32 33, i64 10, i64 0, i64 1, {{.*}} section "ompchunk_loops"
// CHECK: call void @__kmpc_for_static_init_4u(
// CHECK: zext i32 {{.*}} to i64
// CHECK-COUNT-2: call void @use(
// REMARK-COUNT-1: remark:

void use(unsigned);
void f(unsigned n) {
#pragma omp parallel for schedule(static, 10)
  for (unsigned i = 0; i < n; i++) use(i);
}
