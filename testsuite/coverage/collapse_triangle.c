// SHAPE: `collapse(2)`, triangular: the compiler deals the rectangle around it
// INSTRUMENTED: 2
// UNOBSERVED: yes
#include "coverage.h"

void loops(int n) {
  int m = n < 12 ? n : 12;
#pragma omp parallel for collapse(2) schedule(static, 4)
  for (int i = 0; i < m; i++)
    for (int j = 0; j < i; j++) MARK(0, i * m + j, i);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++) MARK(1, i * m + j, j);
}
