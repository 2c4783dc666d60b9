// A switch on the user's own variable, and one on what is computed of it, do not make sections of a loop.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-2: instrumented static loop, schedule(static): one chunk per thread
// REMARK-COUNT-2: remark:

void use(int);
void f(void) {
#pragma omp for
  for (int i = 0; i < 2; i++)
    switch (i) {
    case 0: use(1); break;
    case 1: use(2); break;
    }
#pragma omp for
  for (unsigned i = 0; i < 100; i++)
    switch (i / 10 + 1) {
    case 3: use(3); break;
    default: use(4);
    }
}
