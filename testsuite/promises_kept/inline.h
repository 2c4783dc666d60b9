// One inline function with a loop, which two objects have.
extern int ran[1000];
inline __attribute__((always_inline)) void loop(void) {
#pragma omp for schedule(static)
  for (int i = 0; i < 1000; i++) {
#pragma omp atomic
    ran[i]++;
  }
}
void here(void);
void there(void);
