// Sections look like a loop, and are none.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// UNCHANGED: sections
// REMARK: left alone: a sections construct, not a loop
// REMARK-COUNT-1: remark:

void use(int);
void f(void) {
#pragma omp parallel sections
  {
#pragma omp section
    use(1);
#pragma omp section
    use(2);
  }
}
