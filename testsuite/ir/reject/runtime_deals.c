// Schedules whose chunks the runtime deals are none of the plugin's business.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// UNCHANGED: no static loop
// REMARK-COUNT-0: remark:

void use(int);
void f(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < n; i++) use(i);
#pragma omp for schedule(guided)
    for (int i = 0; i < n; i++) use(i);
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; i++) use(i);
#pragma omp for schedule(auto)
    for (int i = 0; i < n; i++) use(i);
#pragma omp for ordered schedule(static, 4)
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      use(i);
    }
  }
#pragma omp taskloop grainsize(10)
  for (int i = 0; i < n; i++) use(i);
}
