/* Prints what the headers say, for comparison with the Rust side. */
#include <stddef.h>
#include <stdio.h>

#include <ompt-chunk.h>

static void say(const char *name, unsigned long value) { printf("%s %lu\n", name, value); }
#define FIELD(name) say(#name, offsetof(ompt_chunk_loop_t, name))

int main(void) {
  say("dispatch", ompt_callback_dispatch);
  say("event_loop", ompt_callback_loop);
  say("event_chunk", ompt_callback_chunk);
  say("tool_time", ompt_callback_tool_time);
  say("task_creation", ompt_callback_task_creation);
  say("work", ompt_callback_work);
  say("task_create", ompt_callback_task_create);
  say("task_schedule", ompt_callback_task_schedule);
  say("work_loop_static", ompt_work_loop_static);
  say("work_loop_other", ompt_work_loop_other);
  say("task_explicit", ompt_task_explicit);
  say("task_target", ompt_task_target);
  say("sched_static", ompt_loop_sched_static);
  say("sched_auto", ompt_loop_sched_auto);
  say("sched_monotonic", ompt_loop_sched_monotonic);
  say("error", ompt_set_error);
  say("never", ompt_set_never);
  say("sometimes", ompt_set_sometimes);
  say("sometimes_paired", ompt_set_sometimes_paired);
  say("always", ompt_set_always);
  say("ws_loop_chunk", ompt_dispatch_ws_loop_chunk);
  say("distribute_chunk", ompt_dispatch_distribute_chunk);
  say("data_size", sizeof(ompt_data_t));
  say("dispatch_chunk_size", sizeof(ompt_dispatch_chunk_t));
  say("iterations", offsetof(ompt_dispatch_chunk_t, iterations));
  say("result_size", sizeof(ompt_start_tool_result_t));
  say("result_finalize", offsetof(ompt_start_tool_result_t, finalize));
  say("result_tool_data", offsetof(ompt_start_tool_result_t, tool_data));
  say("abi_version", OMPT_CHUNK_ABI_VERSION);
  say("for", ompt_chunk_for);
  say("distribute", ompt_chunk_distribute);
  say("signed", ompt_chunk_signed);
  say("chunked", ompt_chunk_chunked);
  say("chunk_known", ompt_chunk_chunk_known);
  say("start_known", ompt_chunk_start_known);
  say("step_known", ompt_chunk_step_known);
  say("start_passed", ompt_chunk_start_passed);
  say("step_passed", ompt_chunk_step_passed);
  say("dealt", ompt_chunk_dealt);
  say("changeable", ompt_chunk_changeable);
  say("no_barrier", ompt_chunk_no_barrier);
  say("last_read", ompt_chunk_last_read);
  say("loop_size", sizeof(ompt_chunk_loop_t));
  FIELD(size);
  FIELD(abi_version);
  FIELD(construct);
  FIELD(bits);
  FIELD(flags);
  FIELD(schedule);
  FIELD(chunk);
  FIELD(start);
  FIELD(step);
  FIELD(line);
  FIELD(column);
  FIELD(function);
  FIELD(file);
  FIELD(variable_bits);
  FIELD(fixed);
  FIELD(reserved);
  return 0;
}
