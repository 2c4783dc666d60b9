// Without OpenMP there is nothing to do.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// REMARK-COUNT-0: remark:

void use(int);
void f(int n) {
  for (int i = 0; i < n; i++) use(i);
}
