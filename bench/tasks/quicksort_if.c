// fault: undeferred
/* quicksort_if - quicksort with an if clause whose limit is beyond all that is sorted, so that each task runs at once where it is
   made. quicksort_if [NUMBERS] */
#include "program.h"

enum { MOST = 1 << 24, SMALL = 2000 };
#ifdef MENDED
enum { LIMIT = 50000 };
#else
enum { LIMIT = MOST };
#endif

static void swap(uint32_t *one, uint32_t *two) {
  uint32_t kept = *one;
  *one = *two, *two = kept;
}

static void insertion(uint32_t *numbers, long count) {
  for (long at = 1; at < count; at++)
    for (long to = at; to > 0 && numbers[to - 1] > numbers[to]; to--)
      swap(&numbers[to - 1], &numbers[to]);
}

static void sort(uint32_t *numbers, long count) {
  if (count <= SMALL / 50)
    return insertion(numbers, count);
  uint32_t pivot = numbers[count / 2];
  long low = 0, high = count - 1;
  while (low <= high) {
    while (numbers[low] < pivot)
      low++;
    while (numbers[high] > pivot)
      high--;
    if (low <= high)
      swap(&numbers[low++], &numbers[high--]);
  }
  if (count < SMALL) {
    sort(numbers, high + 1), sort(numbers + low, count - low);
    return;
  }
#pragma omp task if (high + 1 > LIMIT)
  sort(numbers, high + 1);
#pragma omp task if (count - low > LIMIT)
  sort(numbers + low, count - low);
}

int main(int argc, char **argv) {
  int count = read_size(argc, argv, 8000000, 1, MOST);
  uint32_t *numbers = reserve((size_t)count * sizeof *numbers);
  uint64_t before = 0, after = 0, state = 1;
  for (long at = 0; at < count; at++) {
    state = scramble(state, 1);
    numbers[at] = (uint32_t)(state >> 32);
    before += numbers[at];
  }
#pragma omp parallel
#pragma omp single
  sort(numbers, count);
  for (long at = 0; at < count; at++)
    after += numbers[at] + (at > 0 && numbers[at - 1] > numbers[at]);
  free(numbers);
  return verify(after, before);
}
