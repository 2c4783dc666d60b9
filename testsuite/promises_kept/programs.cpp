//--- here.cpp
#include "inline.h"
void here(void) { loop(); }
//--- inline.h
// One inline function with a loop, which two objects have.
extern int ran[1000];
inline __attribute__((always_inline)) void loop(void) {
#pragma omp for schedule(static)
  for (int i = 0; i < 1000; i++) {
#pragma omp atomic
    ran[i]++;
  }
}
void here(void);
void there(void);
//--- there.cpp
// Half of a team goes through another object's copy of the loop.
#include "inline.h"
#include <stdio.h>
extern "C" int omp_get_thread_num(void);
int ran[1000];
void there(void) { loop(); }
int main(void) {
  for (int round = 0; round < 20; round++)
#pragma omp parallel
  {
    if (omp_get_thread_num() % 2)
      here();
    else
      there();
  }
  int wrong = 0;
  for (int i = 0; i < 1000; i++) wrong += ran[i] != 20;
  printf("inline: %d wrong\n", wrong);
  return 0;
}
