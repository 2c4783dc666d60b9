//--- runtime.c
// What runtimes to come are proposed to have, made of what today's have.
void __kmpc_for_static_fini(void *location, int thread);

// llvm-project's pull request 133323.
void __kmpc_dist_for_static_fini(void *location, int thread) { __kmpc_for_static_fini(location, thread); }
//--- serialized.c
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
