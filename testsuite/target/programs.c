//--- counter.c
// A plugin of qemu's, which counts the instructions of a program's first thread. A mark is a call of a function whose name begins with
// "mark_"; at the end there is a line for each, with its name and the numbers of instructions from one call to the next, as long as
// no other mark lies between.
//
// What is declared here is the part of qemu's plugin interface that this needs: version 1, which qemu 4.2 and later have.

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;
enum { NO_REGISTERS = 0 };

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                                  void (*)(qemu_plugin_id_t id, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned thread, void *), int registers,
                                                 void *);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*)(qemu_plugin_id_t id, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *);
extern void qemu_plugin_outs(const char *);

EXPORTED extern int qemu_plugin_version;
int qemu_plugin_version = 1;

// More are not looked at.
enum { MARKS = 4, DISTANCES = 10000 };

static struct mark {
  char name[32];
  unsigned count;
  uint64_t distances[DISTANCES];
} marks[MARKS];

// A block of instructions, which is executed as a whole.
struct block {
  uint64_t instructions;
  struct mark *mark;
};

static struct mark *last;
static uint64_t since;

static void enter(unsigned thread, void *entered) {
  const struct block *block = entered;
  if (thread != 0) return;
  if (block->mark) {
    if (block->mark == last && last->count < DISTANCES) last->distances[last->count++] = since;
    last = block->mark;
    since = 0;
  }
  since += block->instructions;
}

static struct mark *mark_of(const char *name) {
  if (!name || strncmp(name, "mark_", 5) != 0) return NULL;
  for (int i = 0; i < MARKS; i++) {
    if (!marks[i].name[0]) snprintf(marks[i].name, sizeof marks[i].name, "%s", name);
    if (strcmp(marks[i].name, name) == 0) return &marks[i];
  }
  return NULL;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
  (void)id;
  // Kept as long as the emulator runs, which may come back to the block.
  struct block *block = malloc(sizeof *block);
  if (!block) abort();
  block->instructions = qemu_plugin_tb_n_insns(tb);
  block->mark = mark_of(qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(tb, 0)));
  qemu_plugin_register_vcpu_tb_exec_cb(tb, enter, NO_REGISTERS, block);
}

static void end(qemu_plugin_id_t id, void *nothing) {
  (void)id, (void)nothing;
  for (int i = 0; i < MARKS && marks[i].name[0]; i++) {
    char number[32];
    qemu_plugin_outs(marks[i].name);
    for (unsigned at = 0; at < marks[i].count; at++) {
      snprintf(number, sizeof number, " %" PRIu64, marks[i].distances[at]);
      qemu_plugin_outs(number);
    }
    qemu_plugin_outs("\n");
  }
}

EXPORTED extern int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv);
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv) {
  (void)info, (void)argc, (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  qemu_plugin_register_atexit_cb(id, end, NULL);
  return 0;
}
//--- loops.c
// Needs no header of any libc's.

void body(int i);
void dealt_by_the_compiler(int n);
void dealt_by_the_runtime(int n);

void dealt_by_the_compiler(int n) {
#pragma omp for schedule(static, 4)
  for (int i = 0; i < n; i++) body(i);
}

void dealt_by_the_runtime(int n) {
#pragma omp for schedule(dynamic, 4)
  for (int i = 0; i < n; i++) body(i);
}
//--- marked.c
// As many chunks, and then as many executions of a loop with one chunk per thread, as the arguments say. Each calls a function that
// does nothing: what a thread does between two calls of one is what a chunk takes, or an execution.

#include <stdlib.h>

#define NOT_INLINED __attribute__((noinline))

void mark_chunk(int i);
NOT_INLINED void mark_chunk(int i) { __asm__ volatile("" : : "r"(i)); }
void mark_execution(int i);
NOT_INLINED void mark_execution(int i) { __asm__ volatile("" : : "r"(i)); }

void run_chunks(int threads, int chunks);
NOT_INLINED void run_chunks(int threads, int chunks) {
#pragma omp for schedule(static, 1) nowait
  for (int i = 0; i < threads * chunks; i++) mark_chunk(i);
}

void run_executions(int threads, int executions);
NOT_INLINED void run_executions(int threads, int executions) {
  for (int execution = 0; execution < executions; execution++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < threads; i++) mark_execution(i);
  }
}

int main(int argc, char **argv) {
  int threads = argc > 3 ? atoi(argv[1]) : 0;
#pragma omp parallel num_threads(threads)
  {
    run_chunks(threads, atoi(argv[2]));
    run_executions(threads, atoi(argv[3]));
  }
  return 0;
}
//--- program.c
// Ten executions of a loop of forty chunks, by however many threads.

#include <stdio.h>

int main(void) {
  static double field[400];
  for (int execution = 0; execution < 10; execution++) {
#pragma omp parallel for schedule(static, 10)
    for (int i = 0; i < 400; i++) field[i] += i;
  }
  printf("%g\n", field[399]);
  return 0;
}
