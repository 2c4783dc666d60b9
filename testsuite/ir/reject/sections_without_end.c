// A section that never comes back is no part of the loop over sections, and so not of a copy.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: sections.rs Sections

void use(int);
void leave(void) __attribute__((noreturn));
void f(void) {
#pragma omp sections
  {
    use(1);
#pragma omp section
    leave();
  }
}
