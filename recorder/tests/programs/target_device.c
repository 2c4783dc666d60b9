/* The code for the device, as clang's would be in the program: the first argument is the runtime's own. */
void twice(void *runtime, long count, double *values) {
  (void)runtime;
  for (long i = 0; i < count; i++) values[i] *= 2;
}
