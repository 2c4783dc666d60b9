// Changes of control flow and properties that LLVM-C cannot express.

#include "glue.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalObject.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
// The header moved with LLVM 16.
#if __has_include("llvm/TargetParser/Triple.h")
#include "llvm/TargetParser/Triple.h"
#else
#include "llvm/ADT/Triple.h"
#endif
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

extern "C" {

LLVMBasicBlockRef oc_split_before(LLVMValueRef I) {
  auto *Inst = unwrap<Instruction>(I);
  return wrap(SplitBlock(Inst->getParent(), Inst));
}

LLVMBasicBlockRef oc_split_edge(LLVMBasicBlockRef From, LLVMBasicBlockRef To) {
  BasicBlock *F = unwrap(From), *T = unwrap(To);
  Function *Parent = T->getParent();
  BasicBlock *Between = BasicBlock::Create(Parent->getContext(), "", Parent, T);
  BranchInst::Create(T, Between)->setDebugLoc(F->getTerminator()->getDebugLoc());
  // One edge only: a conditional branch with both successors equal keeps the other.
  Instruction *Terminator = F->getTerminator();
  for (unsigned Index = 0; Index != Terminator->getNumSuccessors(); ++Index)
    if (Terminator->getSuccessor(Index) == T) {
      Terminator->setSuccessor(Index, Between);
      break;
    }
  for (PHINode &Phi : T->phis()) {
    int Index = Phi.getBasicBlockIndex(F);
    if (Index >= 0)
      Phi.setIncomingBlock(Index, Between);
  }
  ompchunk::carryLines(*Between);
  return wrap(Between);
}

LLVMValueRef oc_named(LLVMModuleRef M, const char *Name) {
  return wrap(unwrap(M)->getNamedValue(Name));
}

LLVMBasicBlockRef oc_split_exit(LLVMBasicBlockRef From, LLVMBasicBlockRef To) {
  BasicBlock *F = unwrap(From), *T = unwrap(To);
  Function *Parent = T->getParent();
  BasicBlock *Between = BasicBlock::Create(Parent->getContext(), "", Parent);
  BranchInst::Create(T, Between)->setDebugLoc(F->getTerminator()->getDebugLoc());
  F->getTerminator()->replaceSuccessorWith(T, Between);
  for (PHINode &Phi : T->phis()) {
    // As many operands as there were edges; one is left.
    int Index = Phi.getBasicBlockIndex(F);
    if (Index < 0)
      continue;
    Phi.setIncomingBlock(Index, Between);
    while ((Index = Phi.getBasicBlockIndex(F)) >= 0)
      Phi.removeIncomingValue(Index, /*DeletePHIIfEmpty=*/false);
  }
  ompchunk::carryLines(*Between);
  return wrap(Between);
}

LLVMValueRef oc_function_new(LLVMModuleRef M, const char *Name, LLVMTypeRef Type) {
  // With the module's default attributes (uwtable, frame-pointer, …), so that the function unwinds
  // and profiles like those that clang emitted.
  Function *F = Function::createWithDefaultAttr(unwrap<FunctionType>(Type),
                                                GlobalValue::LinkOnceODRLinkage, 0, Name,
                                                unwrap(M));
  return wrap(F);
}

void oc_must_tail(LLVMValueRef Call) {
  unwrap<CallInst>(Call)->setTailCallKind(CallInst::TCK_MustTail);
}

void oc_move_variable(LLVMValueRef Variable, LLVMValueRef Frame, int64_t Offset) {
  auto *Old = unwrap<AllocaInst>(Variable);
  auto *New = unwrap<Instruction>(Frame);
  Module &M = *Old->getModule();
  DIBuilder Builder(M, /*AllowUnresolved=*/false);
  replaceDbgDeclare(Old, New, Builder, DIExpression::ApplyOffset, Offset);
  // Code that is not optimized computes an address where it is used, or keeps it in memory.
  bool Anew = New->getFunction()->hasOptNone();
  IRBuilder<> First(New->getNextNode());
  auto Address = [&](IRBuilder<> &At) { return At.CreateConstInBoundsGEP1_64(At.getInt8Ty(), New, Offset); };
  Value *Once = Anew ? nullptr : Address(First);
  if (Once)
    Once->takeName(Old);
  for (Use &Used : make_early_inc_range(Old->uses())) {
    auto *User = cast<Instruction>(Used.getUser());
    if (isa<IntrinsicInst>(User) && cast<IntrinsicInst>(User)->isLifetimeStartOrEnd()) {
      // The frame lives as long as the function does.
      User->eraseFromParent();
      continue;
    }
    auto *Phi = dyn_cast<PHINode>(User);
    IRBuilder<> Before(Phi ? Phi->getIncomingBlock(Used)->getTerminator() : User);
    Used.set(Once ? Once : Address(Before));
  }
  Old->eraseFromParent();
}

void oc_global_no_sanitize(LLVMValueRef G) {
  auto *Global = unwrap<GlobalVariable>(G);
  GlobalValue::SanitizerMetadata Meta;
  if (Global->hasSanitizerMetadata())
    Meta = Global->getSanitizerMetadata();
  Meta.NoAddress = true;
  Meta.NoHWAddress = true;
  Global->setSanitizerMetadata(Meta);
}

void oc_global_keep(LLVMModuleRef M, LLVMValueRef G) {
  appendToCompilerUsed(*unwrap(M), {unwrap<GlobalValue>(G)});
}

void oc_mark_nosanitize(LLVMValueRef I) {
  auto *Inst = unwrap<Instruction>(I);
  Inst->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(Inst->getContext(), {}));
}

void oc_branch_weights(LLVMValueRef Branch, uint32_t Taken, uint32_t Otherwise) {
  auto *Inst = unwrap<Instruction>(Branch);
  Inst->setMetadata(LLVMContext::MD_prof,
                    MDBuilder(Inst->getContext()).createBranchWeights(Taken, Otherwise));
}

int oc_is_host_elf64(LLVMModuleRef Wrapped) {
  Module &M = *unwrap(Wrapped);
#if LLVM_VERSION_MAJOR < 17
  // Until then one could ask for pointers with types, between which everything must be cast.
  if (M.getContext().supportsTypedPointers())
    return 0;
#endif
  Triple T(M.getTargetTriple());
  bool Device = T.isNVPTX() || T.isAMDGPU() || T.isSPIRV() || T.isSPIR() ||
                M.getModuleFlag("openmp-device");
  return !Device && T.isOSBinFormatELF() && M.getDataLayout().getPointerSize() == 8;
}
}
