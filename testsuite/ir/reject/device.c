// A module compiled for a device.
//
// RUN: %clang -cc1 -triple nvptx64-nvidia-cuda -aux-triple x86_64-unknown-linux-gnu %is_device -fopenmp-targets=nvptx64-nvidia-cuda -O1 -disable-llvm-passes -fopenmp -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// REMARK-COUNT-0: instrumented

void use(int);
#pragma omp begin declare target
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
#pragma omp end declare target
