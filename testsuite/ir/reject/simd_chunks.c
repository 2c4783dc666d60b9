// schedule(simd:static,c) is miscompiled by these compilers, so no event could be right.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// REMARK: left alone: schedule(simd:static,c) runs iterations several times

void use(int);
void f(int n) {
#pragma omp parallel for simd schedule(simd : static, 4)
  for (int i = 0; i < n; i++) use(i);
}
