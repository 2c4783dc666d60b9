/* What the programs about explicit tasks have in common: how much there is to do, work of a known result, and the end. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Of [SIZE], the default stays if the user gives none. */
static inline int read_size(int argc, char **argv, int size, int least, int most) {
  if (argc > 1)
    size = atoi(argv[1]);
  if (size >= least && size <= most)
    return size;
  fprintf(stderr, "usage: %s [SIZE], %d to %d\n", argv[0], least, most);
  exit(2);
}

/* Numbers in a row, each from the one before, so that no compiler shortens it: about a nanosecond for each. */
static inline uint64_t scramble(uint64_t state, long steps) {
  for (long step = 0; step < steps; step++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

/* What is not to be nothing. */
static inline void *reserve(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory == NULL) {
    fputs("no memory\n", stderr);
    exit(2);
  }
  return memory;
}

/* The program's last word: its exit code. */
static inline int verify(uint64_t found, uint64_t expected) {
  printf("%llu\n", (unsigned long long)found);
  if (found == expected)
    return 0;
  fprintf(stderr, "wrong: %llu is expected\n", (unsigned long long)expected);
  return 1;
}

#endif
