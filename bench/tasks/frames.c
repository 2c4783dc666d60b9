// fault: chain
/* frames - frames of a film do not need each other, but the loop waits for the task of each before it makes the next.
   frames [FRAMES] */
#include "program.h"

enum { PIXELS = 20000, ROUNDS = 80 };

static uint64_t frame_sum(uint64_t frame) {
  static _Thread_local uint32_t pixels[PIXELS];
  for (int at = 0; at < PIXELS; at++)
    pixels[at] = (uint32_t)(frame * 2654435761u + (uint64_t)at);
  for (int round = 0; round < ROUNDS; round++)
    for (int at = 1; at < PIXELS; at++)
      pixels[at] = (pixels[at] >> 1) + (pixels[at - 1] >> 1) + (uint32_t)round;
  uint64_t sum = 0;
  for (int at = 0; at < PIXELS; at++)
    sum += pixels[at];
  return sum;
}

int main(int argc, char **argv) {
  int frames = read_size(argc, argv, 300, 1, 100000);
  uint64_t *sums = reserve((size_t)frames * sizeof *sums);
#pragma omp parallel
#pragma omp single
  for (int frame = 0; frame < frames; frame++) {
#pragma omp task
    sums[frame] = frame_sum((uint64_t)frame);
#ifndef MENDED
#pragma omp taskwait
#endif
  }
  uint64_t found = 0, expected = 0;
  for (int frame = 0; frame < frames; frame += 10)
    found += sums[frame], expected += frame_sum((uint64_t)frame);
  free(sums);
  return verify(found, expected);
}
