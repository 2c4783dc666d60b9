/* chunk-tool.h - what the two example tools share: which loops each thread is executing, the names
 * of loops, and the place to write to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every thread has a state of its own and touches no other's; the states are linked into a list,
 * never freed, and read by others only after the runtime has finished.
 */
#ifndef CHUNK_TOOL_H
#define CHUNK_TOOL_H

#include <stdbool.h>
#include <stdio.h>

#include "ompt-chunk.h"

enum { MAX_DEPTH = 32, NAME_SIZE = 256 };

/* A loop that a thread is executing, between the runtime's begin and end events. */
typedef struct running {
  const void *code;              /* return address of the runtime call: tells call sites apart */
  const ompt_chunk_loop_t *loop; /* NULL: not a loop that the plugin instrumented */
  ompt_work_t work;
  int thread_num; /* in its team, as omp_get_thread_num() */
} running;

typedef struct thread {
  struct thread *next;
  int depth; /* may exceed MAX_DEPTH; deeper loops are not recorded */
  running stack[MAX_DEPTH];
  void *own; /* the tool's */
} thread;

/* Looks the entry points up. `get_loop` stays NULL on a runtime without ompchunk. */
void chunk_tool_start(ompt_function_lookup_t lookup);

/* Registers a callback; false if the runtime never delivers the event. */
bool chunk_tool_set(int event, ompt_callback_t callback);

/* The calling thread's state, with `own_size` zeroed bytes of the tool's; NULL out of memory. */
thread *this_thread(size_t own_size);
/* All states; only while no other thread runs. */
thread *all_threads(void);

/* A work event of the runtime: pushes the loop and returns it, or NULL if the work is no loop. */
running *begin_loop(thread *t, ompt_work_t work, const void *code);
/* The innermost loop of the thread, or NULL. */
running *current_loop(thread *t);
/* Pops the innermost loop. Call with the work type of the end event; true if it was a loop. */
bool end_loop(thread *t, ompt_work_t work);

/* After an extension event, which only an instrumented loop sends. */
void loop_is_instrumented(running *r);

/* "file.c:12", or "program+0x1234" for a loop without line information or record. */
void loop_name(char name[NAME_SIZE], const running *r);
/* "static,8", "static,c" for a chunk size not known at compile time, "dynamic", "distribute" ... */
void loop_schedule(char schedule[NAME_SIZE], const running *r);

/* Nanoseconds. */
double nanoseconds(void);

/* The file that the environment variable names, else stderr. */
FILE *chunk_tool_output(const char *variable);

#endif
