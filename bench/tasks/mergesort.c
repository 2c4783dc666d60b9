// fault: none
/* mergesort - halves are sorted by tasks and merged; short runs without tasks. mergesort [NUMBERS] */
#include <string.h>
#include "program.h"

enum { CUTOFF = 20000 };

static void merge(uint64_t *numbers, uint64_t *room, long half, long count) {
  long left = 0, right = half;
  for (long at = 0; at < count; at++)
    if (right == count || (left < half && numbers[left] <= numbers[right]))
      room[at] = numbers[left++];
    else
      room[at] = numbers[right++];
  memcpy(numbers, room, (size_t)count * sizeof *numbers);
}

static void sort_alone(uint64_t *numbers, uint64_t *room, long count) {
  if (count < 2)
    return;
  sort_alone(numbers, room, count / 2);
  sort_alone(numbers + count / 2, room + count / 2, count - count / 2);
  merge(numbers, room, count / 2, count);
}

static void sort(uint64_t *numbers, uint64_t *room, long count) {
  if (count <= CUTOFF)
    return sort_alone(numbers, room, count);
#pragma omp task
  sort(numbers, room, count / 2);
#pragma omp task
  sort(numbers + count / 2, room + count / 2, count - count / 2);
#pragma omp taskwait
  merge(numbers, room, count / 2, count);
}

int main(int argc, char **argv) {
  int count = read_size(argc, argv, 6000000, 1, 100000000);
  uint64_t *numbers = reserve((size_t)count * sizeof *numbers), *room = reserve((size_t)count * sizeof *room);
  uint64_t before = 0, after = 0, state = 1;
  for (long at = 0; at < count; at++)
    before += numbers[at] = (state = scramble(state, 1)) >> 8;
#pragma omp parallel
#pragma omp single
  sort(numbers, room, count);
  for (long at = 0; at < count; at++)
    after += numbers[at] + (at > 0 && numbers[at] < numbers[at - 1]);
  free(numbers), free(room);
  return verify(after, before);
}
