// What functions and variables tell of who may rely on which thread runs which iteration.

#include "glue.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;

namespace {
// Constant expressions are no deeper than what C can write.
constexpr unsigned DEEPEST = 8;

bool leadsToThreadLocal(const Value *V, unsigned Depth) {
  if (const auto *Global = dyn_cast<GlobalValue>(V))
    return Global->isThreadLocal();
  const auto *Expression = dyn_cast<ConstantExpr>(V);
  return Expression && Depth < DEEPEST &&
         any_of(Expression->operands(), [&](const Use &Operand) { return leadsToThreadLocal(Operand.get(), Depth + 1); });
}
}

extern "C" {
int oc_names_thread_local(LLVMValueRef Instruction) {
  return any_of(unwrap<llvm::Instruction>(Instruction)->operands(),
                [](const Use &Operand) { return leadsToThreadLocal(Operand.get(), 0); });
}

int oc_is_library_function(LLVMValueRef Callee, LLVMValueRef Caller) {
  const auto *Function = unwrap<llvm::Function>(Callee);
  if (!ompchunk::Functions)
    return 0;
  const auto &Library = ompchunk::Functions->getResult<TargetLibraryAnalysis>(*unwrap<llvm::Function>(Caller));
  LibFunc Known;
  return Library.getLibFunc(*Function, Known) && Library.has(Known);
}

int oc_body_is_what_runs(LLVMValueRef Callee) {
  const auto *Function = unwrap<llvm::Function>(Callee);
  return !Function->isDeclaration() && !Function->isInterposable();
}

int oc_is_local(LLVMValueRef Callee) { return unwrap<llvm::Function>(Callee)->hasLocalLinkage(); }

int oc_accesses_are_parallel(LLVMValueRef Branch) {
  const MDNode *Loop = unwrap<Instruction>(Branch)->getMetadata(LLVMContext::MD_loop);
  return Loop && any_of(Loop->operands(), [](const MDOperand &Operand) {
           const auto *Hint = dyn_cast_or_null<MDNode>(Operand.get());
           const auto *Name =
               Hint && Hint->getNumOperands() > 0 ? dyn_cast_or_null<MDString>(Hint->getOperand(0).get()) : nullptr;
           return Name && Name->getString() == "llvm.loop.parallel_accesses";
         });
}

int oc_stores_all_of(LLVMValueRef Store, LLVMValueRef Alloca) {
  const auto *Stored = dyn_cast<StoreInst>(unwrap(Store));
  const auto *Variable = dyn_cast<AllocaInst>(unwrap(Alloca));
  return Stored && Variable && Stored->getPointerOperand() == Variable && !Variable->isArrayAllocation() &&
         Stored->getValueOperand()->getType() == Variable->getAllocatedType();
}
}
