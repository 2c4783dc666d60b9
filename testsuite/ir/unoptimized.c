// At -O0 there is one loop with a tested flag: a debugger would set its breakpoints in the copy that
// does not run.
//
// RUN: %clang -O0 -Xclang -disable-O0-optnone -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -passes=instnamer -S | %clang -O0 -fno-discard-value-names -x ir -S -emit-llvm -fpass-plugin=%plugin - -o -
// SNAPSHOT: f.omp_outlined
// LIKE: not_clonable
// CHECK-COUNT-1: call void @use(
// CHECK-COUNT-1: call void @__kmpc_for_static_init_4(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
