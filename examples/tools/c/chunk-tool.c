/* chunk-tool.c - see chunk-tool.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "chunk-tool.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static ompt_set_callback_t set_callback;
static ompt_get_task_info_t get_task_info;
static ompt_chunk_get_loop_t get_loop;

static _Atomic(thread *) threads;
static _Thread_local thread *mine;

void chunk_tool_start(ompt_function_lookup_t lookup) {
  set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_loop = (ompt_chunk_get_loop_t)lookup("ompt_chunk_get_loop");
}

bool chunk_tool_set(int event, ompt_callback_t callback) {
  if (!set_callback)
    return false;
  ompt_set_result_t result = set_callback((ompt_callbacks_t)event, callback);
  return result == ompt_set_sometimes || result == ompt_set_sometimes_paired ||
         result == ompt_set_always;
}

thread *this_thread(size_t own_size) {
  if (mine)
    return mine;
  thread *t = calloc(1, sizeof *t + own_size);
  if (!t)
    return NULL;
  t->own = t + 1;
  t->next = atomic_load(&threads);
  while (!atomic_compare_exchange_weak(&threads, &t->next, t))
    ;
  return mine = t;
}

thread *all_threads(void) { return atomic_load(&threads); }

static bool is_loop(ompt_work_t work) {
  switch ((int)work) {
  case ompt_work_loop:
  case ompt_work_distribute:
  case ompt_work_loop_static:
  case ompt_work_loop_dynamic:
  case ompt_work_loop_guided:
  case ompt_work_loop_other:
    return true;
  default:
    return false;
  }
}

running *begin_loop(thread *t, ompt_work_t work, const void *code) {
  if (!is_loop(work) || ++t->depth > MAX_DEPTH)
    return NULL;
  running *r = &t->stack[t->depth - 1];
  *r = (running){.code = code, .work = work, .loop = get_loop ? get_loop() : NULL};
  /* A loop of an object compiled without the plugin, called from inside an instrumented one: what
   * get_loop names is the outer loop. */
  if (t->depth > 1 && r->loop == r[-1].loop)
    r->loop = NULL;
  if (get_task_info)
    get_task_info(0, NULL, NULL, NULL, NULL, &r->thread_num);
  return r;
}

running *current_loop(thread *t) {
  return t->depth > 0 && t->depth <= MAX_DEPTH ? &t->stack[t->depth - 1] : NULL;
}

bool end_loop(thread *t, ompt_work_t work) {
  if (!is_loop(work) || t->depth == 0)
    return false;
  t->depth--;
  return true;
}

void loop_is_instrumented(running *r) {
  if (!r->loop && get_loop)
    r->loop = get_loop();
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void loop_name(char name[NAME_SIZE], const running *r) {
  Dl_info in;
  if (r->loop && r->loop->line)
    snprintf(name, NAME_SIZE, "%s:%u", base_name(ompt_chunk_loop_file(r->loop)), r->loop->line);
  else if (r->code && dladdr(r->code, &in) && in.dli_fname)
    snprintf(name, NAME_SIZE, "%s+0x%zx", base_name(in.dli_fname),
             (size_t)((const char *)r->code - (const char *)in.dli_fbase));
  else
    snprintf(name, NAME_SIZE, "%p", r->code);
}

void loop_schedule(char schedule[NAME_SIZE], const running *r) {
  const char *kind = "loop";
  switch ((int)r->work) {
  case ompt_work_distribute:
    kind = "distribute";
    break;
  case ompt_work_loop_static:
    kind = "static";
    break;
  case ompt_work_loop_dynamic:
    kind = "dynamic";
    break;
  case ompt_work_loop_guided:
    kind = "guided";
    break;
  }
  if (r->loop && r->loop->construct == ompt_chunk_for && !(r->loop->flags & ompt_chunk_dealt))
    kind = "static"; /* also on runtimes that call every loop a loop */
  if (r->loop && r->loop->flags & ompt_chunk_chunk_known)
    snprintf(schedule, NAME_SIZE, "%s,%lld", kind, (long long)r->loop->chunk);
  else
    snprintf(schedule, NAME_SIZE, "%s%s", kind,
             r->loop && r->loop->flags & ompt_chunk_chunked ? ",c" : "");
}

double nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

FILE *chunk_tool_output(const char *variable) {
  /* Where a set-user-ID program writes is no business of whoever starts it. */
  const char *path = secure_getenv(variable);
  if (!path || !*path)
    return stderr;
  FILE *out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "%s: cannot write %s, writing to stderr instead\n", variable, path);
    return stderr;
  }
  return out;
}
