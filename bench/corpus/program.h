/* What the programs of the corpus in C and C++ have in common: how often to run the loop, and how much there is for it to do.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdio.h>
#include <stdlib.h>

/* Of [REPETITIONS [SIZE]], what the user does not give stays as it is. `usage` may have %d for the most, and %2$d for the least. */
static inline void read_arguments(int argc, char **argv, int *repetitions, int *size, int least, int most,
                                  const char *usage) {
  if (argc > 1)
    *repetitions = atoi(argv[1]);
  if (argc > 2)
    *size = atoi(argv[2]);
  if (*repetitions >= 1 && *size >= least && *size <= most)
    return;
  fputs("usage: ", stderr);
  fprintf(stderr, usage, most, least);
  fputc('\n', stderr);
  exit(2);
}

#endif
