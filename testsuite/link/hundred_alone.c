// A hundred loops of one iteration outside of regions, where the runtime reports none, nor whose it is.
static void one(double *a) {
#pragma omp for
  for (int i = 0; i < 1; i++) a[i] += 1;
}

int main(void) {
  double a[1] = {0};
  for (int i = 0; i < 100; i++) one(a);
  return a[0] != 100;
}
