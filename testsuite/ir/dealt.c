// Loops whose chunks the runtime deals. Enter before the runtime is asked, in a copy of the loop a chunk event
// for each chunk that it deals, leave on every way out.
//
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
