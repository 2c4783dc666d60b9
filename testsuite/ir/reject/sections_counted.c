// Where lines are counted, what reports stands in functions of its own: no call of it would tell which section it is.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names --coverage -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: sections.rs SectionsCounted

void use(int);
void f(void) {
#pragma omp sections
  {
    use(1);
#pragma omp section
    use(2);
  }
}
