// SHAPE: `schedule(simd:static,4)`
// INSTRUMENTED: 0
// ALONE: schedule(simd:static,c) runs iterations several times with this compiler, so no chunk event could be right
// WRONG: iterations run several times
#include "coverage.h"

void loops(int n) {
#pragma omp parallel for simd schedule(simd : static, 4)
  for (int i = 0; i < n; i++) COUNT(0, i);
}
