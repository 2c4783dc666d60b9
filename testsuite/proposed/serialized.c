// Loops outside of any parallel region, for the emulated runtime. With -DOTHER, the one that is compiled without the plugin.
void other(void);

#ifdef OTHER
void other(void) {
#pragma omp for schedule(static) nowait
  for (int i = 0; i < 7; i++) __asm__ volatile("");
}
#else
int main(void) {
#pragma omp for schedule(static, 10) nowait
  for (int i = 0; i < 25; i++) __asm__ volatile("");
#pragma omp for schedule(static) nowait
  for (int i = 100; i < 140; i += 2) __asm__ volatile("");
  other();
  return 0;
}
#endif
