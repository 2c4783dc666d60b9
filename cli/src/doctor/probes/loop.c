/* 100 chunks on two threads; C and C++. */
int main(void) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 100; i++)
    __asm__ volatile("");
  return 0;
}
