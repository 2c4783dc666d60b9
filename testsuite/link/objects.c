// The main program of several objects in one link.
#include "../run/program.h"

void part_1(int), part_2(int);

int main(void) {
  for (int n = 0; n < 30; n += 13) part_1(n), part_2(n);
  return 0;
}
