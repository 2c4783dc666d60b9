// Which operations may give other results when iterations of their loop run in other company.

#include "glue.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#if LLVM_VERSION_MAJOR < 17
#include "llvm/ADT/Triple.h"
#else
#include "llvm/TargetParser/Triple.h"
#endif

using namespace llvm;

namespace ompchunk {
FunctionAnalysisManager *Functions = nullptr;
}

namespace {
// Does the compiler know vectorized forms of the function, which round in other ways?
bool hasVectorForms(const CallBase &Call) {
  if (Call.hasFnAttr("vector-function-abi-variant"))
    return true;
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !ompchunk::Functions)
    return false;
  Function &Caller = *const_cast<Function *>(Call.getFunction());
  return ompchunk::Functions->getResult<TargetLibraryAnalysis>(Caller).isFunctionVectorizable(Callee->getName());
}
} // namespace

extern "C" {

uint32_t oc_numerics(LLVMValueRef Wrapped) {
  const auto &I = *unwrap<Instruction>(Wrapped);
  uint32_t Found = 0;
  if (const auto *Call = dyn_cast<CallBase>(&I))
    if (hasVectorForms(*Call))
      Found |= OC_REORDERED;
  const auto *Operation = dyn_cast<FPMathOperator>(&I);
  if (!Operation)
    return Found;
  const FastMathFlags Flags = Operation->getFastMathFlags();
  if (Flags.allowReassoc() || Flags.noSignedZeros() || Flags.allowReciprocal() || Flags.approxFunc())
    Found |= OC_REORDERED;
  switch (I.getOpcode()) {
  case Instruction::FMul:
    return Found | OC_FLOATING | (Flags.allowContract() ? OC_FUSIBLE_PRODUCT : 0);
  case Instruction::FAdd:
  case Instruction::FSub:
    return Found | OC_FLOATING | (Flags.allowContract() ? OC_FUSIBLE_SUM : 0);
  default:
    return Found | OC_FLOATING;
  }
}

int oc_fuses(LLVMValueRef Wrapped) {
  const auto &F = *unwrap<Function>(Wrapped);
  const Triple T(F.getParent()->getTargetTriple());
  if (T.getArch() != Triple::x86_64)
    return 1;
  const StringRef Features = F.getFnAttribute("target-features").getValueAsString();
  const StringRef Processor = F.getFnAttribute("target-cpu").getValueAsString();
  const bool Plain = Processor.empty() || Processor == "generic" || Processor == "x86-64" || Processor == "x86-64-v2";
  return !Plain || Features.contains("+fma") || Features.contains("+avx512f");
}

int oc_is_unsafe(LLVMValueRef Wrapped) {
  return unwrap<Function>(Wrapped)->getFnAttribute("unsafe-fp-math").getValueAsBool();
}

int oc_vectorize_wanted(LLVMValueRef Branch) {
  const MDNode *Loop = unwrap<Instruction>(Branch)->getMetadata(LLVMContext::MD_loop);
  if (!Loop)
    return 0;
  for (const MDOperand &Operand : Loop->operands()) {
    const auto *Hint = dyn_cast_or_null<MDNode>(Operand.get());
    const auto *Name = Hint && Hint->getNumOperands() > 0 ? dyn_cast_or_null<MDString>(Hint->getOperand(0).get()) : nullptr;
    if (!Name || Name->getString().find("llvm.loop.vectorize.") != 0)
      continue;
    const auto *Value = Hint->getNumOperands() > 1 ? mdconst::dyn_extract_or_null<ConstantInt>(Hint->getOperand(1)) : nullptr;
    const bool Width = Name->getString() == "llvm.loop.vectorize.width";
    // A width of 1 and `enable` of false forbid it.
    if (!Value || Value->getZExtValue() > (Width ? 1 : 0))
      return 1;
  }
  return 0;
}
}
