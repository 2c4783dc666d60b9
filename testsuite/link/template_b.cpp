// Instantiates the template that template_a.cpp instantiates.
#include "template.h"

void other(int n) {
  shared_loop(n);
#pragma omp parallel
  inlined_loop(n);
}
