/* ompt-chunk.h - extension events of ompchunk for OMPT tools.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A tool registers these like any other callback, through the `ompt_set_callback` that its
 * initializer looks up. Event numbers and signatures are those of P. V. Langdal, "Extending OMPT to
 * Support Grain Graph Visualization" (NTNU 2017), there called TR4E, except that the duration of task
 * creation has an event of its own, so that the standard one keeps its signature. A runtime without ompchunk
 * answers `ompt_set_error` or `ompt_set_never`: test the result.
 */
#ifndef OMPT_CHUNK_H
#define OMPT_CHUNK_H

#include <stdint.h>
#include <omp-tools.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Beyond every event number of the OpenMP specification. Macros of the specification's own type, so
 * that they can be passed where omp-tools.h wants one, also in C++ (where a number beyond the enumerators
 * is no constant expression: compare with `==`, not with `case`). */
#define ompt_callback_loop ((ompt_callbacks_t)81)      /* ompt_callback_loop_t */
#define ompt_callback_chunk ((ompt_callbacks_t)82)     /* ompt_callback_chunk_t */
#define ompt_callback_tool_time ((ompt_callbacks_t)83) /* ompt_tool_time_t */
#define ompt_callback_task_creation ((ompt_callbacks_t)84) /* ompt_callback_task_creation_t */
#define ompt_callback_sub_block ((ompt_callbacks_t)85) /* ompt_callback_sub_block_t */
#define ompt_callback_wanted ((ompt_callbacks_t)86) /* ompt_chunk_wanted_t */

/* How a loop's iterations are dealt; the numbers of omp_sched_t in omp.h. */
typedef enum ompt_loop_sched_t {
  ompt_loop_sched_static = 1,
  ompt_loop_sched_dynamic = 2,
  ompt_loop_sched_guided = 3,
  ompt_loop_sched_auto = 4 /* another way, or the runtime does not tell */
} ompt_loop_sched_t;

/* Added where the user wrote `monotonic:`. */
#define ompt_loop_sched_monotonic 0x80000000u

/* A thread begins or ends its part of an instrumented loop, beside the runtime's ompt_callback_work.
 *
 * loop_sched      how the runtime really deals the iterations, as far as its work event tells; a loop
 *                 with schedule(guided) may be dealt as dynamic, a serialized one as static
 * endpoint        begin: before the thread's first chunk, also if there will be none; end: after its
 *                 last chunk has run
 * parallel_data, task_data    as in every other event
 * is_iter_signed  whether the bounds in chunk events are signed
 * step            the user's step, 0 if it is not known (several variables, iterators)
 * codeptr_ra      as in the runtime's ompt_callback_work for the begin of this loop, in both events;
 *                 NULL if the runtime has no such event
 *
 * Both lie within the runtime's work events, and inquiry functions know the loop in both. Only the end of a
 * loop that is cancelled may come without a work event, if the runtime sends none.
 *
 * ompt_set_callback answers ompt_set_sometimes, for the reason given below. */
typedef void (*ompt_callback_loop_t)(ompt_loop_sched_t loop_sched, ompt_scope_endpoint_t endpoint,
                                     ompt_data_t *parallel_data, ompt_data_t *task_data,
                                     int is_iter_signed, int64_t step, const void *codeptr_ra);

/* A chunk of an instrumented loop is about to run on this thread, or a section of instrumented sections, each of which is a chunk
 * of its own: `lower` and `upper` are its number, from 0 on in the order of the source.
 *
 * task_data        the implicit task's data, the same address as in every other OMPT event
 * lower, upper     logical iterations, both inclusive, 0 the first of the loop; for a loop with an
 *                  unsigned iteration variable of 64 bits, read them as uint64_t. `upper` is clamped
 *                  to the last iteration.
 * create_duration  the tool's clock over the bookkeeping that led to this chunk, in the clock's unit:
 *                  for a thread's first chunk from the return of the runtime's initialisation call,
 *                  for a later one from the end of the chunk before. It is a raw difference and so
 *                  contains one reading of the clock. 0 if the tool registered no clock.
 *                  Where the runtime deals the chunks, what its call takes, without the tool's own
 *                  dispatch callback in it.
 * is_last_chunk    static loops: 1 if this is the last chunk that this thread runs in this loop.
 *                  Where the runtime deals the chunks (ompt_chunk_dealt: dynamic, guided, runtime, auto,
 *                  ordered), no thread knows that before it asks for another. There it is 1 for the
 *                  chunk that holds the loop's last iteration, on whichever thread.
 *
 * ompt_set_callback answers ompt_set_sometimes: loops of objects that were compiled without the
 * plugin have no such event. */
typedef void (*ompt_callback_chunk_t)(ompt_data_t *task_data, int64_t lower, int64_t upper,
                                      double create_duration, int is_last_chunk);

/* A task was created by this thread. After its ompt_callback_task_create, whose arguments these are, with the
 * duration where TR4E has it.
 *
 * encountering_task_data, encountering_task_frame    of the task that creates, which this thread runs
 * new_task_data   a copy of the new task's data as the tool's ompt_callback_task_create left it: the task
 *                 itself may have run to its end on another thread by now. What is written here is lost.
 * event_duration  the tool's clock on this thread, from before the runtime allocates the task until it is
 *                 handed over: without the tool's own callbacks for creating and scheduling tasks, without
 *                 other tasks that the thread runs or creates meanwhile, without waiting for dependences. For a task that
 *                 runs at once, as with if(0), until it begins. Of a `taskloop`, each task that this thread
 *                 creates has an event of its own: the first with the time from the beginning of the construct
 *                 until the second is created, and so on; their sum is what creating all of them took.
 *                 0 if the tool registered no clock.
 *
 * ompt_set_callback answers ompt_set_sometimes: tasks of objects that were compiled without the plugin have no
 * such event, nor have those that a runtime has other threads create for a large `taskloop`;
 * ompt_set_never if the runtime has no events for creating and scheduling tasks. */
typedef void (*ompt_callback_task_creation_t)(ompt_data_t *encountering_task_data,
                                              const ompt_frame_t *encountering_task_frame,
                                              ompt_data_t *new_task_data, int flags,
                                              int has_dependences, double event_duration,
                                              const void *codeptr_ra);

/* A sub-block of a thread's own chunk is about to run: logical iterations `lower` to `lower + iterations - 1`. From these
 * events a tool learns what iterations cost, also in a loop that gives each thread one chunk. It is its thread's until the
 * thread's next sub-block or chunk, or the end of the loop.
 *
 * parallel_data, task_data    as in every other event
 * lower           as `start` in ompt_dispatch_chunk_t
 * iterations      at least 1
 * flags           enum ompt_sub_block_flags
 * codeptr_ra      as in the runtime's ompt_callback_work for the begin of this loop, where loop events are registered; else
 *                 NULL
 *
 * A sub-block is not a chunk. The dispatch event and ompt_callback_chunk stay one per chunk, with all of its iterations,
 * and come right before its first sub-block. The sub-blocks of a chunk are all of it, one after the other, on the thread and
 * in the order in which the loop runs without. How many there are is not for the tool to say: each lasts long enough for a clock,
 * and where they begin changes from execution to execution, so that a few per execution become a fine profile.
 *
 * ompt_set_callback answers ompt_set_sometimes: only loops with a static schedule have sub-blocks that are
 * ompt_chunk_changeable and ompt_chunk_divisible and whose chunk size, if any, is known and more than 1; none where OMP_CANCELLATION is on, nor
 * for chunks that the runtime deals. */
typedef void (*ompt_callback_sub_block_t)(ompt_data_t *parallel_data, ompt_data_t *task_data,
                                          uint64_t lower, uint64_t iterations, unsigned int flags,
                                          const void *codeptr_ra_or_NULL);

enum ompt_sub_block_flags {
  ompt_sub_block_first = 1, /* of its chunk */
  ompt_sub_block_last = 2   /* of its chunk */
};

/* Not an event: the tool's clock, in any unit. Called on the thread whose time is wanted. */
typedef double (*ompt_tool_time_t)(void);

/* What is known of a loop at compile time. Its strings stand behind the head or elsewhere in the same section: use the two functions
 * below, with the record itself and no copy of it. */
typedef struct ompt_chunk_loop_t {
  uint32_t size;        /* in bytes, with what follows the head: the next record of the section begins there */
  uint16_t abi_version; /* OMPT_CHUNK_ABI_VERSION */
  uint8_t construct;    /* enum ompt_chunk_construct */
  uint8_t bits;         /* width of the logical iteration variable: 32 or 64 */
  uint32_t flags;       /* enum ompt_chunk_loop_flags */
  uint32_t schedule;    /* as in the source: enum sched_type of kmp.h, with modifier bits */
  int32_t chunk;        /* chunk size in logical iterations, if ompt_chunk_chunk_known */
  int32_t start;        /* the user's first value, if ompt_chunk_start_known; see below */
  int32_t step;         /* the user's step, if ompt_chunk_step_known */
  uint32_t line;        /* 0: compiled without line information */
  int32_t function;     /* distance of a NUL-terminated string from the start of this record, in bytes */
  int32_t file;         /* likewise */
  uint16_t column;      /* 0: unknown */
  uint8_t variable_bits; /* width of the user's variable; 0: nothing is known of it */
  uint8_t fixed;        /* enum ompt_chunk_fixed: why the schedule cannot be changed at run time; 0 if it can */
  uint8_t bound;        /* enum ompt_chunk_bound: what may rely on which thread runs which iteration; 0 if it is free */
  uint8_t reserved;
  uint16_t group;       /* offset of its group from the record's start, if ompt_chunk_mapped; else 0 */
} ompt_chunk_loop_t;

/* Not an event: ompchunk asks the tool whether it wants to hear of an execution. Called on a thread that is about to begin its part
 * of a loop with a chunk size, of which it has all chunks without asking the runtime, inside no other loop.
 *
 * loop            as ompt_chunk_get_loop_t gives it
 * chunk           the chunk size in logical iterations
 *
 * 0: this thread's part runs as if nobody listened, without events of ompchunk; ompt_chunk_name_loops names it all the same. The
 * runtime's own events come. Threads are asked one by one, and none waits for another: whatever they are told, each runs the
 * iterations that it would have run. */
typedef int (*ompt_chunk_wanted_t)(const ompt_chunk_loop_t *loop, uint64_t chunk);

/* The loops that give a thread the same iterations (OpenMP 5.2, 11.5.3): a number, and so many of these. */
typedef struct ompt_chunk_group_loop_t {
  uint32_t line;       /* source line, 0 when compiled without line information */
  uint32_t column;     /* source column, 0 when unknown */
  uint32_t changeable; /* 1 if its schedule can be changed */
} ompt_chunk_group_loop_t;

#define OMPT_CHUNK_ABI_VERSION 4

enum ompt_chunk_construct {
  ompt_chunk_text = 0, /* in a file's section: no loop but eight bytes of head and a string that loops lead to */
  ompt_chunk_for = 1,
  ompt_chunk_distribute = 2,
  ompt_chunk_sections = 3 /* its iterations are its sections, each of them a chunk */
};

enum ompt_chunk_loop_flags {
  ompt_chunk_signed = 1 << 0,      /* the logical iteration variable is signed */
  ompt_chunk_chunked = 1 << 1,     /* the schedule has a chunk size */
  ompt_chunk_chunk_known = 1 << 2,
  ompt_chunk_start_known = 1 << 3,
  ompt_chunk_step_known = 1 << 4,
  ompt_chunk_start_passed = 1 << 5, /* a run-time value: ompt_chunk_get_variable has it */
  ompt_chunk_step_passed = 1 << 6,
  ompt_chunk_dealt = 1 << 7, /* the runtime deals the chunks; its own dispatch events tell of them */
  ompt_chunk_changeable = 1 << 8, /* OMPCHUNK_SCHEDULE can change the schedule */
  ompt_chunk_no_barrier = 1 << 9, /* no barrier follows the loop */
  ompt_chunk_last_read = 1 << 10, /* who ran the last iteration is read after the loop (lastprivate, linear) */
  ompt_chunk_divisible = 1 << 11, /* in sub-blocks it gives the same results, bit for bit */
  ompt_chunk_reassociated = 1 << 12, /* it may not: the compiler may reorder its floating-point operations */
                                     /* Neither of the two: what compiled it did not look. */
  ompt_chunk_free = 1 << 13,  /* nothing relies on which thread runs which iteration */
  ompt_chunk_mapped = 1 << 14, /* other loops, those of its group, rely on it */
  ompt_chunk_from_one = 1 << 15, /* with ompt_chunk_dealt: the runtime's dispatch events count iterations from 1 */
  ompt_chunk_stock = 1 << 16,   /* compiled without the plugin: a thread runs the bounds that it gets when the loop begins, and no others */
  ompt_chunk_told = 1 << 17     /* ompchunk is told the variables that the runtime fills in */
};

enum ompt_chunk_fixed {
  ompt_chunk_fixed_unknown = 0,
  ompt_chunk_fixed_distribute = 1, /* it deals to the teams of a league */
  ompt_chunk_fixed_combined = 2,   /* to teams and threads at once */
  ompt_chunk_fixed_ordered = 3,    /* iterations take turns */
  ompt_chunk_fixed_doacross = 4,   /* iterations wait for earlier ones */
  ompt_chunk_fixed_end = 5,        /* it is not clear where control leaves it after its last iteration */
  ompt_chunk_fixed_counted = 6,    /* compiled for coverage */
  ompt_chunk_fixed_strided = 7,    /* each step of the loop is a step to the next chunk */
  ompt_chunk_fixed_unwanted = 8,   /* compiled with OMPCHUNK_COPIES=report */
  ompt_chunk_fixed_shared = 9,     /* one of so many loops of a function that they share their code */
  ompt_chunk_fixed_sections = 10,  /* its iterations are sections */
  ompt_chunk_fixed_carried = 11,   /* a register carries a value from one iteration to the next */
  ompt_chunk_fixed_steps = 12      /* compiled without the plugin, and it may take other steps than those from chunk to chunk */
};

enum ompt_chunk_bound {
  ompt_chunk_bound_unknown = 0,       /* it is free, or what compiled it did not look */
  ompt_chunk_bound_orphaned = 1,      /* whatever its function's callers do */
  ompt_chunk_bound_threadprivate = 2, /* threadprivate or thread-local data, errno, floating-point environment, locale */
  ompt_chunk_bound_order = 3,         /* another loop, by an order clause */
  ompt_chunk_bound_nowait = 4,        /* the code behind it, without a barrier */
  ompt_chunk_bound_pair = 5,          /* another loop, without a barrier in between */
  ompt_chunk_bound_thread_number = 6, /* code that knows the thread's number */
  ompt_chunk_bound_own_memory = 7,    /* what each thread keeps in memory of its own */
  ompt_chunk_bound_call = 8,          /* functions that are called in its region */
  ompt_chunk_bound_inline = 9,        /* like orphaned, in an inline function, which other objects may have without ompchunk */
  ompt_chunk_bound_stock = 10,        /* anything: it was compiled without the plugin */
  ompt_chunk_bound_waiting = 11       /* iterations that wait for each other, and so for the threads that run them */
};

static inline const char *ompt_chunk_loop_function(const ompt_chunk_loop_t *loop) {
  return (const char *)loop + loop->function;
}
static inline const char *ompt_chunk_loop_file(const ompt_chunk_loop_t *loop) {
  return (const char *)loop + loop->file;
}

/* The standard's own ompt_callback_dispatch: with ompchunk, ompt_set_callback answers what the runtime says, but at least
 * ompt_set_sometimes_paired, also where the runtime has no such event. Of instrumented loops every chunk is told, and of
 * instrumented sections each section that a thread runs; of other code, what the runtime tells, which may be a part. So it is not ompt_set_always; but each event that
 * comes is complete in itself and needs no partner, so it is more than ompt_set_sometimes, which libomp answers from LLVM 24
 * on, and which some tools take for too little to listen. Earlier runtimes answer ompt_set_always for the same events;
 * that is passed on as it is. */

/* Inquiry entry point, looked up by the name "ompt_chunk_get_loop": the innermost instrumented loop
 * that the calling thread is executing, or NULL outside one. Callable from a callback, and on an OpenMP thread from
 * a signal handler.
 *
 * The record and its address last as long as the program or library that contains the loop stays loaded; within the
 * callback that is certain, later it is not. After dlclose another library may be loaded to the same addresses, and
 * its loop records stand where others stood; return addresses (codeptr_ra) are no better. A tool that keeps addresses, as
 * the key of a table for example, keeps beside them the number that ompt_chunk_get_met tells of, and copies what it
 * wants to know of a loop later. */
typedef const ompt_chunk_loop_t *(*ompt_chunk_get_loop_t)(void);

/* Beside the numbers of enum sched_type: one block of iterations for each thread, of equal cost (`balanced`). Its work and loop events
 * say static. */
#define ompt_chunk_sched_balanced 62u

/* Inquiry entry point, looked up by the name "ompt_chunk_get_schedule": the schedule under which that loop really runs, an
 * enum sched_type of kmp.h with modifier bits or ompt_chunk_sched_balanced, and its chunk size (0: none, or not constant).
 * Returns 0 outside a loop, 1 where it is the one of the source, 2 where OMPCHUNK_SCHEDULE names another; either pointer
 * may be NULL. A loop that runs under a dynamic or guided one is dealt by the runtime: its own work and dispatch events tell of
 * it. Looked up by the name "ompt_chunk_get_change", it is there only where OMPCHUNK_SCHEDULE or the program's own schedules name loops: of
 * such a loop, executions from one return address may have different ones. */
typedef int (*ompt_chunk_get_schedule_t)(unsigned *schedule, int64_t *chunk);

/* Inquiry entry point, looked up by the name "ompt_chunk_get_section": the number of the section that the calling thread runs,
 * from 0 on in the order of the source, where ompt_chunk_get_loop gives the record of sections. From the section's dispatch event on;
 * the event itself has only the address. Returns 1 and writes it, or 0 where there is none; the pointer may be NULL. Callable
 * like ompt_chunk_get_loop. */
typedef int (*ompt_chunk_get_section_t)(uint64_t *number);

/* Inquiry entry point, looked up by the name "ompt_chunk_get_met": the address of a number, which stays where it is
 * until the process ends and grows whenever ompchunk meets a program or library of instrumented code, which is before
 * the first event of its loops. As long as it stands still (an atomic load, acquire), the address of a loop record is
 * that of the same loop. */
typedef const uint64_t *(*ompt_chunk_get_met_t)(void);

/* Entry point, looked up by the name "ompt_chunk_name_loops": from now on (1), or not any more (0), the inquiry functions know an
 * instrumented loop or instrumented sections in the runtime's ompt_callback_work for their begin, without any event of ompchunk's. For who
 * wants to know nothing else of loops: they run as if nobody listened, and a chunk costs nothing. After that event nothing
 * is known of the loop, unless its other events are wanted, too. Returns 1, or 0 where the runtime has no work events or the tool was
 * finalized. */
typedef int (*ompt_chunk_name_loops_t)(int on);

/* Inquiry entry point, looked up by the name "ompt_chunk_get_variable": the user's first value and
 * step in that loop, whether they are constants or run-time values. Returns ompt_chunk_start_known,
 * ompt_chunk_step_known, both or neither, and writes what is known; either pointer may be NULL.
 *
 * In logical iteration k, the user's variable is start + k * step, modulo 2 to the power of
 * variable_bits. Both are sign-extended from that width: for an unsigned variable, mask. Loops over
 * several variables (collapse), pointers and iterators have neither. */
typedef int (*ompt_chunk_get_variable_t)(int64_t *start, int64_t *step);

#ifdef __cplusplus
}
#endif
#endif
