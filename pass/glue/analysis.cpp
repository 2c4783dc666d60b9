// Dominators and loops, which LLVM-C does not have.

#include "glue.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace ompchunk {
struct Analysis {
  DominatorTree Dominators;
  LoopInfo Loops;
  explicit Analysis(Function &F) : Dominators(F), Loops(Dominators) {}

  const Loop *loopWithHeader(const BasicBlock *Header) const {
    const Loop *L = Loops.getLoopFor(Header);
    return L && L->getHeader() == Header ? L : nullptr;
  }
};
} // namespace ompchunk

using ompchunk::Analysis;

extern "C" {

Analysis *oc_analysis_new(LLVMValueRef F) { return new Analysis(*unwrap<Function>(F)); }

void oc_analysis_free(Analysis *A) { delete A; }

int oc_reachable(const Analysis *A, LLVMBasicBlockRef B) {
  return A->Dominators.isReachableFromEntry(unwrap(B));
}

int oc_dominates(const Analysis *A, LLVMValueRef I, LLVMValueRef User) {
  return A->Dominators.dominates(unwrap<Instruction>(I), unwrap<Instruction>(User));
}

LLVMBasicBlockRef oc_loop_header(const Analysis *A, LLVMBasicBlockRef B) {
  const Loop *L = A->Loops.getLoopFor(unwrap(B));
  return L ? wrap(L->getHeader()) : nullptr;
}

int oc_loop_contains(const Analysis *A, LLVMBasicBlockRef Header, LLVMBasicBlockRef B) {
  const Loop *L = A->loopWithHeader(unwrap(Header));
  return L && L->contains(unwrap(B));
}

size_t oc_loop_blocks(const Analysis *A, LLVMBasicBlockRef Header, LLVMBasicBlockRef *Out,
                      size_t Capacity) {
  const Loop *L = A->loopWithHeader(unwrap(Header));
  if (!L)
    return 0;
  size_t Count = 0;
  for (BasicBlock *B : L->blocks()) {
    if (Count < Capacity)
      Out[Count] = wrap(B);
    ++Count;
  }
  return Count;
}

LLVMValueRef oc_callee(LLVMValueRef V) {
  const auto *Call = dyn_cast<CallBase>(unwrap(V));
  return Call && !isa<CallBrInst>(Call) ? wrap(dyn_cast<Function>(Call->getCalledOperand())) : nullptr;
}

int oc_calls_out(LLVMValueRef V) { return isa<CallBase>(unwrap(V)) && !isa<IntrinsicInst>(unwrap(V)); }

int oc_returns_twice(LLVMValueRef I) {
  auto *Call = dyn_cast<CallBase>(unwrap(I));
  // LLVM has no such attribute for its own setjmp.
  return Call && (Call->hasFnAttr(Attribute::ReturnsTwice) ||
                  Call->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp);
}

LLVMBasicBlockRef oc_switch_target(LLVMValueRef S, int64_t Constant) {
  auto *Switch = unwrap<SwitchInst>(S);
  for (auto Case : Switch->cases())
    if (Case.getCaseValue()->getSExtValue() == Constant)
      return wrap(Case.getCaseSuccessor());
  return wrap(Switch->getDefaultDest());
}

LLVMIntPredicate oc_mirrored(LLVMIntPredicate P) {
  return static_cast<LLVMIntPredicate>(CmpInst::getSwappedPredicate(static_cast<CmpInst::Predicate>(P)));
}

LLVMIntPredicate oc_inverse(LLVMIntPredicate P) {
  return static_cast<LLVMIntPredicate>(CmpInst::getInversePredicate(static_cast<CmpInst::Predicate>(P)));
}

size_t oc_predecessors(LLVMBasicBlockRef B, LLVMBasicBlockRef *Out, size_t Capacity) {
  size_t Count = 0;
  for (BasicBlock *P : predecessors(unwrap(B))) {
    if (Count < Capacity)
      Out[Count] = wrap(P);
    ++Count;
  }
  return Count;
}
}
