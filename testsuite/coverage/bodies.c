#include "coverage.h"
//--- call_in_body.c
// SHAPE: the body is a call
static void body(int i, int n) { STEP(0, i, n, i); }

void loops(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) body(i, n);
}
//--- computed_goto.c
// SHAPE: computed `goto` in the body
void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    void *targets[] = {&&even, &&odd};
    int value;
    goto *targets[i & 1];
even:
    value = 100;
    goto out;
odd:
    value = 200;
out:
    STEP(0, i, n, value + i);
  }
}
//--- control_flow.c
// SHAPE: `switch`, inner loop and `continue` in the body
void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    int value = i;
    switch (i % 4) {
    case 0: value = 7; break;
    case 1:
      for (int j = 0; j < i; j++) value += value % (j + 1);
      break;
    default: STEP(0, i, n, 1); continue;
    }
    STEP(0, i, n, value);
  }
}
//--- inline_assembly.c
// SHAPE: inline assembly with a label in the body
void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    STEP(0, i, n, i);
    __asm__ volatile("a_label_%=: nop" ::: "memory");
  }
}
//--- large_body.c
// SHAPE: a body too large for a copy
#define EACH8(x) x x x x x x x x
#define EACH64(x) EACH8(EACH8(x))

void loops(int n) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    int value = i;
    EACH64(EACH8(value = value * 3 + (value >> 2);))
    STEP(0, i, n, value);
  }
}
//--- setjmp.c
// SHAPE: `setjmp` in the body
// INSTRUMENTED: 2
#include <setjmp.h>

void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) {
      jmp_buf back;
      volatile int times = 0;
      if (setjmp(back) < 2) times++, longjmp(back, times);
      STEP(0, i, n, i + times);
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      jmp_buf back;
      volatile int times = 0;
      if (!setjmp(back)) times++, longjmp(back, 1);
      STEP(1, i, n, i + times);
    }
  }
}
//--- setjmp_near.c
// SHAPE: `setjmp` before the loop in the same function
#include <setjmp.h>

// Not of the block: of such a variable clang 23 forgets what was written between setjmp and longjmp.
static _Thread_local volatile int times;

void loops(int n) {
#pragma omp parallel
  {
    jmp_buf back;
    times = 0;
    if (setjmp(back) == 0) times++, longjmp(back, 1);
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; i++) STEP(0, i, n, i + times);
  }
}
//--- variable_length_array.c
// SHAPE: a variable-length array in the body, and one private
void loops(int n) {
  int private_one[n + 1];
#pragma omp parallel for schedule(static, 3) private(private_one)
  for (int i = 0; i < n; i++) {
    int array[i + 1];
    private_one[i] = array[i] = i * 5;
    STEP(0, i, n, array[i] + private_one[i]);
  }
}
