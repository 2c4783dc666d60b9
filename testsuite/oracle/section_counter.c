/* A tool that knows nothing of ompchunk: it registers ompt_callback_dispatch and nothing else. It prints how many events
 * came, and for each section its number and line, as the program tells them, and where the address of its events is in the
 * program. An event is strange if it is followed by no section, or not by the one that its address stood for before.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include <stdint.h>
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SECTIONS = 5 };

static atomic_int events, strange, lines[SECTIONS];
static _Atomic(void *) code[SECTIONS];
static _Thread_local void *told;

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  events++;
  strange += !parallel || !task || kind != ompt_dispatch_section || told;
  told = instance.ptr;
}

static void on_section(int section, int line) {
  void *known = NULL;
  if (!atomic_compare_exchange_strong(&code[section], &known, told)) strange += known != told;
  strange += !told;
  lines[section] = line;
  told = NULL;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  void (**hook)(int, int) = dlsym(RTLD_DEFAULT, "section_hook");
  if (hook) *hook = on_section;
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  printf("%d events, %d strange\n", events, strange);
  for (int section = 0; section < SECTIONS; section++) {
    Dl_info program = {0};
    dladdr(code[section], &program);
    printf("%d %d 0x%tx\n", section, lines[section],
           (char *)code[section] - (char *)program.dli_fbase);
  }
}

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)omp_version, (void)runtime_version;
  return &result;
}
