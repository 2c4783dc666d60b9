void use(int);
//--- device.c
// A module compiled for a device.
// RUN: %clang -cc1 -triple nvptx64-nvidia-cuda -aux-triple x86_64-unknown-linux-gnu %is_device -fopenmp-targets=nvptx64-nvidia-cuda -O1 -disable-llvm-passes -fopenmp -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// REMARK-COUNT-0: instrumented

#pragma omp begin declare target
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
#pragma omp end declare target
//--- no_openmp.c
// Without OpenMP there is nothing to do.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// REMARK-COUNT-0: remark:

void f(int n) {
  for (int i = 0; i < n; i++) use(i);
}
//--- sections_counted.c
// Where lines are counted, what reports stands in functions of its own: no call of it would tell which section it is.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names --coverage -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: sections.rs SectionsCounted

void f(void) {
#pragma omp sections
  {
    use(1);
#pragma omp section
    use(2);
  }
}
//--- sections_without_end.c
// A section that never comes back is no part of the loop over sections, and so not of a copy.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// TWIN: sections.rs Sections

void leave(void) __attribute__((noreturn));
void f(void) {
#pragma omp sections
  {
    use(1);
#pragma omp section
    leave();
  }
}
//--- simd_chunks.c
// schedule(simd:static,c) is miscompiled by these compilers, so no event could be right.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// REMARK: left alone: schedule(simd:static,c) runs iterations several times

void f(int n) {
#pragma omp parallel for simd schedule(simd : static, 4)
  for (int i = 0; i < n; i++) use(i);
}
