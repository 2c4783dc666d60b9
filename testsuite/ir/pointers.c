// Loops over pointers: 64 bits, and neither start nor step is said, since nothing in a record could
// tell of an address.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i8 64, i32 2311, i32 33, i64 4, i64 0, i64 0, {{.*}} section "ompchunk_loops"
// CHECK: i8 64, i32 2311, i32 33, i64 4, i64 0, i64 0, {{.*}} section "ompchunk_loops"
// CHECK-COUNT-2: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-2: instrumented

void use(long *);
void up(long *first, long n) {
#pragma omp for schedule(static, 4)
  for (long *p = first; p < first + n; p++) use(p);
}
void down(long *first, long n) {
#pragma omp for schedule(static, 4)
  for (long *p = first + n - 1; p >= first; p -= 2) use(p);
}
