// The option given twice.
//
// RUN: %clang -O0 -fopenmp -S -emit-llvm -fpass-plugin=%plugin -fpass-plugin=%plugin %s -o -
// CHECK-COUNT-1: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
