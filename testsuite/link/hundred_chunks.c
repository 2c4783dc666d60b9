// The program of the LLVM issue on missing dispatch events: schedule(static,1), 100 iterations, 2
// threads.
static double a[100];

int main(void) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 100; i++) a[i] += i;
  return a[99] != 99;
}
