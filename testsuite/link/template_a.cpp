// Instantiates the template, and calls the object that does so too.
#include "template.h"

void other(int n);

int main() {
  shared_loop(10);
  other(20);
  shared_loop(30);
#pragma omp parallel
  inlined_loop(30);
  printf("loop 0: 60 runs\nloop 1: 50 runs\n");
}
