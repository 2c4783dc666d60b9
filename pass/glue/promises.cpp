// What functions and variables tell of who may rely on which thread runs which iteration.

#include "glue.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
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

int oc_offset(LLVMValueRef Step, int64_t *Offset) {
  const auto *Address = dyn_cast<GEPOperator>(unwrap(Step));
  const auto *In = dyn_cast<Instruction>(unwrap(Step));
  if (!Address || !In)
    return 0;
  const DataLayout &Layout = In->getModule()->getDataLayout();
  APInt Sum(Layout.getIndexTypeSizeInBits(Address->getType()), 0);
  if (!Address->accumulateConstantOffset(Layout, Sum) || Sum.getSignificantBits() > 64)
    return 0;
  *Offset = Sum.getSExtValue();
  return 1;
}

int64_t oc_size(LLVMValueRef Access) {
  const auto *In = cast<Instruction>(unwrap(Access));
  const DataLayout &Layout = In->getModule()->getDataLayout();
  const auto Bytes = [](const TypeSize &Size, unsigned Unit) {
    return Size.isScalable() ? 0 : static_cast<int64_t>(Size.getKnownMinValue() / Unit);
  };
  if (const auto *Variable = dyn_cast<AllocaInst>(In)) {
    const auto Bits = Variable->getAllocationSizeInBits(Layout);
    return Bits ? Bytes(*Bits, 8) : 0;
  }
  if (const auto *Stored = dyn_cast<StoreInst>(In))
    return Bytes(Layout.getTypeStoreSize(Stored->getValueOperand()->getType()), 1);
  return isa<LoadInst>(In) ? Bytes(Layout.getTypeStoreSize(In->getType()), 1) : 0;
}

int oc_is_assembly_of_threads(LLVMValueRef Call) {
  const auto *Site = dyn_cast<CallBase>(unwrap(Call));
  const auto *Assembly = Site ? dyn_cast<InlineAsm>(Site->getCalledOperand()) : nullptr;
  if (!Assembly)
    return 0;
  const std::string Text = StringRef(Assembly->getAsmString()).lower();
  return any_of(ArrayRef<const char *>{"mxcsr", "fldcw", "fldenv", "finit", "fninit", "rstor", "fpcr", "fpsr", "%fs", "%gs", "tpidr"},
                [&](const char *Register) { return StringRef(Text).contains(Register); });
}

uint32_t oc_argument(LLVMValueRef Call, unsigned Index) {
  const auto *Site = dyn_cast<CallBase>(unwrap(Call));
  if (!Site || Index >= Site->arg_size())
    return 0;
  if (Site->paramHasAttr(Index, Attribute::StructRet))
    return OC_ARGUMENT_RESULT;
  const bool Reads = Site->paramHasAttr(Index, Attribute::ByVal) ||
                     (Site->paramHasAttr(Index, Attribute::ReadOnly) && Site->doesNotCapture(Index));
  return Reads ? OC_ARGUMENT_READ : 0;
}
}
