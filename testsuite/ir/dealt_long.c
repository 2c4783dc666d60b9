// A long variable, with a first value and a step that are only known when the loop runs.
//
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
