// Each section is told of where it begins, in the copy alone, by a call that is not made one with another.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// CHECK-COUNT-2: call void @use(i32 noundef 0)
// CHECK-COUNT-1: { nomerge nounwind }
// REMARK-COUNT-1: instrumented sections: with a copy of the loop that reports each chunk; its schedule is fixed: its iterations are sections
// REMARK-COUNT-1: remark:

void use(int);
void f(void) {
#pragma omp parallel sections
  {
    use(0);
#pragma omp section
    {
    }
#pragma omp section
    use(2);
  }
}
