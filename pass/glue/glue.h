// What the Rust side needs of LLVM beyond LLVM-C: registration, analyses, cloning, remarks.
// Mirrored by src/ffi.rs. Nothing here decides anything about OpenMP.
#ifndef OMPCHUNK_GLUE_H
#define OMPCHUNK_GLUE_H

#include <cstddef>
#include <cstdint>

#include "llvm-c/Core.h"

namespace llvm {
class BasicBlock;
class Function;
template <typename, typename...> class AnalysisManager;
}

namespace ompchunk {
struct Analysis;
struct Fills;
// Gives a block that was put on an edge the lines that both ends of the edge have, if lines are counted.
void carryLines(llvm::BasicBlock &Between);
// What is known of functions, while the pass runs; else null.
extern llvm::AnalysisManager<llvm::Function> *Functions;
}

extern "C" {

// ---- plugin.cpp ------------------------------------------------------------------------------
// The pass itself, on the Rust side: `optimize` is 0 at -O0.
enum : uint32_t { OC_UNCHANGED = 0, OC_CHANGED = 1 };
typedef uint32_t (*oc_run_t)(LLVMModuleRef module, uint32_t optimize);

// ---- analysis.cpp: dominators and loops of a function as it was when the analysis was made ----
ompchunk::Analysis *oc_analysis_new(LLVMValueRef function);
void oc_analysis_free(ompchunk::Analysis *);
int oc_reachable(const ompchunk::Analysis *, LLVMBasicBlockRef);
int oc_dominates(const ompchunk::Analysis *, LLVMValueRef instruction, LLVMValueRef user);
// Header of the innermost loop around a block, or null.
LLVMBasicBlockRef oc_loop_header(const ompchunk::Analysis *, LLVMBasicBlockRef);
// Is the block in the loop with that header?
int oc_loop_contains(const ompchunk::Analysis *, LLVMBasicBlockRef header, LLVMBasicBlockRef);
// The loop's blocks, header first. Returns their number and writes at most `capacity`.
size_t oc_loop_blocks(const ompchunk::Analysis *, LLVMBasicBlockRef header, LLVMBasicBlockRef *out,
                      size_t capacity);
// The function that a call or invoke names; null for what is no such call.
LLVMValueRef oc_callee(LLVMValueRef);
// Is it a call, but for those of intrinsics?
int oc_calls_out(LLVMValueRef);
// May control come back from the call more often than it is called, as from setjmp? 0 for what is no call.
int oc_returns_twice(LLVMValueRef instruction);
// Where a switch on an integer of at most 64 bits leads if that is the constant, sign-extended.
LLVMBasicBlockRef oc_switch_target(LLVMValueRef switch_, int64_t constant);
// What is asked of two integers with their sides exchanged, and what holds where it does not.
LLVMIntPredicate oc_mirrored(LLVMIntPredicate);
LLVMIntPredicate oc_inverse(LLVMIntPredicate);
size_t oc_predecessors(LLVMBasicBlockRef, LLVMBasicBlockRef *out, size_t capacity);

// ---- clone.cpp -------------------------------------------------------------------------------
// Why a set of blocks cannot be duplicated; OC_CLONE_OK if it can. Mirrored by instrumentation_plan.rs.
enum : uint32_t {
  OC_CLONE_OK = 0,
  OC_CLONE_ADDRESS_TAKEN,
  OC_CLONE_INLINE_ASM,
  OC_CLONE_NODUPLICATE,
  OC_CLONE_TOKEN,
  OC_CLONE_TERMINATOR,
  OC_CLONE_VALUE_ESCAPES,
};
uint32_t oc_clone_obstacle(const LLVMBasicBlockRef *blocks, size_t count);
// The same of blocks that are left in one direction only: a value may be used after them.
uint32_t oc_way_obstacle(const LLVMBasicBlockRef *blocks, size_t count);
size_t oc_instruction_count(const LLVMBasicBlockRef *blocks, size_t count);

// Duplicates the blocks. `clones` receives the copies in the same order; each value in `watched`
// is replaced by its copy where it has one. Values used after the blocks get PHIs.
void oc_clone(const LLVMBasicBlockRef *blocks, size_t count, LLVMBasicBlockRef *clones,
              LLVMValueRef *watched, size_t watched_count);

// ---- emit.cpp --------------------------------------------------------------------------------
// Splits before an instruction and returns the new block that begins with it.
LLVMBasicBlockRef oc_split_before(LLVMValueRef instruction);
// Puts a block that only branches on the edge and returns it.
LLVMBasicBlockRef oc_split_edge(LLVMBasicBlockRef from, LLVMBasicBlockRef to);
// The same for every edge between the two.
LLVMBasicBlockRef oc_split_exit(LLVMBasicBlockRef from, LLVMBasicBlockRef to);
// The function, variable, alias or ifunc of that name, or null.
LLVMValueRef oc_named(LLVMModuleRef, const char *name);
// A call that becomes a jump.
void oc_must_tail(LLVMValueRef call);
// Has a variable live within the frame from here on, and deletes its own.
void oc_move_variable(LLVMValueRef variable, LLVMValueRef frame, int64_t offset);
LLVMValueRef oc_function_new(LLVMModuleRef, const char *name, LLVMTypeRef);
void oc_global_no_sanitize(LLVMValueRef global);
// Keeps a variable that nothing in the module refers to.
void oc_global_keep(LLVMModuleRef module, LLVMValueRef global);
void oc_mark_nosanitize(LLVMValueRef instruction);
void oc_branch_weights(LLVMValueRef branch, uint32_t taken, uint32_t otherwise);
int oc_is_host_elf64(LLVMModuleRef);

// ---- lines.cpp -------------------------------------------------------------------------------
// Are the function's lines counted by gcov?
int oc_lines_are_counted(LLVMValueRef function);
// The instruction's position, so marked that coverage does not count the line; null if it has none.
LLVMMetadataRef oc_uncounted_position(LLVMValueRef instruction);

// ---- numerics.cpp ----------------------------------------------------------------------------
// What matters of an instruction to whether results stay the same where iterations are grouped in another way:
// it may be reordered or rounded in another way; it computes with floating-point numbers; it is a product, or a sum,
// which the compiler may fuse.
enum : uint32_t { OC_REORDERED = 1, OC_FLOATING = 2, OC_FUSIBLE_PRODUCT = 4, OC_FUSIBLE_SUM = 8 };
uint32_t oc_numerics(LLVMValueRef instruction);
// May the function's code fuse products and sums?
int oc_fuses(LLVMValueRef function);
// May any operation of the function be reordered?
int oc_is_unsafe(LLVMValueRef function);
// Does the user want the loop vectorized that this branch closes?
int oc_vectorize_wanted(LLVMValueRef branch);

// ---- promises.cpp ----------------------------------------------------------------------------
// Is an operand of the instruction thread-local, or an address in it?
int oc_names_thread_local(LLVMValueRef instruction);
// Is it a function of the C or C++ library that the compiler knows by its name and type?
int oc_is_library_function(LLVMValueRef callee, LLVMValueRef caller);
// Has it a body, in whose place no other can come when the program is linked?
int oc_body_is_what_runs(LLVMValueRef callee);
// Can it be called from its own module alone?
int oc_is_local(LLVMValueRef callee);
// Does the loop that the branch closes say that its iterations may run at the same time?
int oc_accesses_are_parallel(LLVMValueRef branch);
// By how many bytes an address lies behind the one that it is computed from. 0 if only the running program knows.
int oc_offset(LLVMValueRef getelementptr, int64_t *offset);
// How many bytes a load or store accesses, or an alloca reserves; 0 if only the running program knows.
int64_t oc_size(LLVMValueRef access);
// Is it inline assembly that names registers for how a thread computes, or for where its own data are?
int oc_is_assembly_of_threads(LLVMValueRef call);
// What a call does with the memory that an argument points to, as its attributes say; mirrored by ffi.rs.
enum : uint32_t { OC_ARGUMENT_READ = 1, OC_ARGUMENT_RESULT = 2 };
uint32_t oc_argument(LLVMValueRef call, unsigned index);

// ---- fills.cpp -------------------------------------------------------------------------------
// Of memory of a thread's own (allocas, calls that ask for memory), in a copy of the function; null if no analyses are at hand.
ompchunk::Fills *oc_fills_new(LLVMValueRef function, const LLVMValueRef *roots, size_t count);
void oc_fills_free(ompchunk::Fills *);
// Does each iteration of the loop with these repeated blocks write what it reads of one of them, before it reads it? A loop that is
// dealt in chunks has its iterations one loop further in. 0 if that is not proven.
int oc_fills_hold(ompchunk::Fills *, size_t root, const LLVMBasicBlockRef *repeated, size_t count, int in_chunks);

// ---- report.cpp ------------------------------------------------------------------------------
// A remark of the pass `ompchunk`: passed or missed, `name` in CamelCase.
void oc_remark(LLVMValueRef instruction, int passed, const char *name, const char *message);
void oc_warning(LLVMModuleRef, const char *message);
void oc_error(LLVMModuleRef, const char *message);
}

#endif
