// Stepped through in a debugger: how often a line is reached, and with which arguments a function is entered, must
// be as without the plugin.
static double a[100];

void orphan(int n, int k) {
#pragma omp for schedule(static, 4)
  for (int i = 0; i < n; i++)
    a[i] += k;
#pragma omp for schedule(static)
  for (int i = 0; i < n; i++)
    a[i] *= k;
#pragma omp for schedule(dynamic, 4)
  for (int i = 0; i < n; i++)
    a[i] -= k;
}

int main(void) {
  orphan(9, 2);
  return a[8] == 2 ? 0 : 1;
}
