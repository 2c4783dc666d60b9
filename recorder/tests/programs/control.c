/* Says to the recorder what to record, and says what it answers. The first argument names the way. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { START = omp_control_tool_start, PAUSE = omp_control_tool_pause };
enum { FLUSH = omp_control_tool_flush, END = omp_control_tool_end };

static void say(int command) { printf("%d ", omp_control_tool(command, 0, NULL)); }

static void spend(void) {
  struct timespec some = {0, 20 * 1000 * 1000};
  nanosleep(&some, NULL);
}

/* A region with a loop of 12 chunks. */
#define LOOP                                          \
  _Pragma("omp parallel num_threads(3)") {            \
    _Pragma("omp for schedule(static, 1)")            \
    for (int i = 0; i < 12; i++)                      \
      __asm__ volatile("");                           \
  }

static void first(void) { LOOP }
static void second(void) { LOOP }
static void third(void) { LOOP }

static void phases(void) {
  first();
  first();
  say(PAUSE);
  say(PAUSE);
  spend();
  second();
  first();
  say(START);
  say(START);
  third();
  say(FLUSH);
  third();
  say(99);
  say(END);
  say(START);
  first();
  second();
}

/* One region, in which the threads go on and off together. */
static void inside(int from_pause) {
  if (from_pause) say(PAUSE);
#pragma omp parallel num_threads(3)
  for (int round = 0; round < 30; round++) {
#pragma omp master
    {
      if (round % 10 == 5) omp_control_tool(START, 0, NULL);
      if (round % 10 == 0) omp_control_tool(PAUSE, 0, NULL);
    }
#pragma omp barrier
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 12; i++) __asm__ volatile("");
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < 12; i++) __asm__ volatile("");
  }
}

/* Every thread says what it likes, in loops, in tasks, in regions within regions. */
static void chaos(unsigned seed) {
  for (int round = 0; round < 60; round++) {
#pragma omp parallel num_threads(3)
    {
      unsigned mine = seed * 977 + round * 31 + omp_get_thread_num();
#pragma omp for schedule(static, 1) nowait
      for (int i = 0; i < 24; i++)
        if (rand_r(&mine) % 8 == 0) omp_control_tool(rand_r(&mine) % 2 ? START : PAUSE, 0, NULL);
#pragma omp for schedule(dynamic, 2)
      for (int i = 0; i < 24; i++)
        if (rand_r(&mine) % 8 == 0) omp_control_tool(1 + rand_r(&mine) % 3, 0, NULL);
      if (rand_r(&mine) % 3 == 0) {
#pragma omp parallel num_threads(2)
        {
#pragma omp for schedule(static)
          for (int i = 0; i < 4; i++)
            if (i == 2) omp_control_tool(rand_r(&mine) % 2 ? START : PAUSE, 0, NULL);
#pragma omp barrier
        }
      }
#pragma omp single
      {
#pragma omp task
        omp_control_tool(START, 0, NULL);
      }
#pragma omp taskwait
#pragma omp sections
      {
#pragma omp section
        omp_control_tool(PAUSE, 0, NULL);
#pragma omp section
        omp_control_tool(START, 0, NULL);
      }
    }
  }
  omp_control_tool(START, 0, NULL);
  third();
}

/* Regions for so many milliseconds. */
static void go_on(int milliseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    first();
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < milliseconds);
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  int number = argc > 2 ? atoi(argv[2]) : 0;
  omp_set_max_active_levels(2);
  if (!strcmp(way, "phases"))
    phases();
  else if (!strcmp(way, "inside"))
    inside(number);
  else if (!strcmp(way, "chaos"))
    chaos(number);
  else if (!strcmp(way, "time"))
    go_on(number);
  else if (!strcmp(way, "loops"))
    for (int i = 0; i < number; i++) {
      first();
      second();
    }
  else
    return 2;
  printf("\n");
  return 0;
}
