// Tasks with objects: copies are made between the allocation of a task and its start, and may create tasks
// themselves.
#include <cstdio>

static int copies, ran;

struct Object {
  int value;
  explicit Object(int v) : value(v) {}
  Object(const Object &other) : value(other.value) {
    __atomic_fetch_add(&copies, 1, __ATOMIC_RELAXED);
    if (value == 2) {
#pragma omp task if (0)
      __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    }
  }
  ~Object() { value = 0; }
};

int main() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 5; i++) {
    Object object(i);
#pragma omp task firstprivate(object)
    {
      try {
        if (object.value == 3) throw object.value;
        __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
      } catch (int) {
        __atomic_fetch_add(&ran, 10, __ATOMIC_RELAXED);
      }
    }
  }
  std::printf("%d %d\n", copies, ran);
  return 0;
}
