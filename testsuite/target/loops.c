// Needs no header of any libc's.

void body(int i);
void dealt_by_the_compiler(int n);
void dealt_by_the_runtime(int n);

void dealt_by_the_compiler(int n) {
#pragma omp for schedule(static, 4)
  for (int i = 0; i < n; i++) body(i);
}

void dealt_by_the_runtime(int n) {
#pragma omp for schedule(dynamic, 4)
  for (int i = 0; i < n; i++) body(i);
}
