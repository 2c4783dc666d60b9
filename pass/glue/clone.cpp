// Duplicating a set of blocks, and the functions that would otherwise gain a second caller.

#include "glue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

using BlockSet = SmallPtrSet<const BasicBlock *, 32>;

static bool definesMacro(const Module &M) {
  auto Defines = [](StringRef Text) { return Text.find(".macro") != StringRef::npos; };
#if LLVM_VERSION_MAJOR < 23
  return Defines(M.getModuleInlineAsm());
#else
  return any_of(M.getModuleInlineAsm(), [&](const Module::GlobalAsmFragment &Fragment) { return Defines(Fragment.Asm); });
#endif
}

// Whether a second copy of this assembly might define a symbol twice. It defines none without a label, an
// assignment or a directive, and it can use a macro only if one is defined.
static bool mayDefineSymbol(const CallBase &Call) {
  StringRef Text = cast<InlineAsm>(Call.getCalledOperand())->getAsmString();
  if (Text.find_first_of(":=.\"") != StringRef::npos)
    return true;
  return !Text.trim().empty() && definesMacro(*Call.getModule());
}

static uint32_t obstacle(const Instruction &I, const BlockSet &Inside, bool MayEscape = false) {
  if (I.getType()->isTokenTy() || (I.isEHPad() && !isa<LandingPadInst>(I)))
    return OC_CLONE_TOKEN;
  if (isa<IndirectBrInst>(I) || isa<CallBrInst>(I))
    return OC_CLONE_TERMINATOR;
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    if (Call->isInlineAsm() && mayDefineSymbol(*Call))
      return OC_CLONE_INLINE_ASM;
    if (Call->cannotDuplicate() || oc_returns_twice(wrap(&I)))
      return OC_CLONE_NODUPLICATE;
  }
  if (MayEscape)
    return OC_CLONE_OK;
  for (const User *U : I.users()) {
    auto *UserInst = dyn_cast<Instruction>(U);
    if (!UserInst || Inside.contains(UserInst->getParent()))
      continue;
    // A PHI right after an edge that leaves the blocks gains an operand for the copy; any other
    // user would need a new PHI.
    auto *Phi = dyn_cast<PHINode>(UserInst);
    if (!Phi)
      return OC_CLONE_VALUE_ESCAPES;
    for (unsigned Operand = 0, End = Phi->getNumIncomingValues(); Operand != End; ++Operand)
      if (Phi->getIncomingValue(Operand) == &I && !Inside.contains(Phi->getIncomingBlock(Operand)))
        return OC_CLONE_VALUE_ESCAPES;
  }
  return OC_CLONE_OK;
}

// A loop's distinct id names that loop alone; a copy that kept it would be the same loop to every
// pass that looks loops up by id.
static void giveLoopIdOfItsOwn(Instruction &Terminator) {
  MDNode *Id = Terminator.getMetadata(LLVMContext::MD_loop);
  if (!Id)
    return;
  SmallVector<Metadata *, 8> Operands(Id->op_begin(), Id->op_end());
  MDNode *Fresh = MDNode::getDistinct(Terminator.getContext(), Operands);
  Fresh->replaceOperandWith(0, Fresh);
  Terminator.setMetadata(LLVMContext::MD_loop, Fresh);
}

// The only call of a local function gets inlined whatever the size; a second call, in the copy,
// would take that away from the original. So the copy calls a copy, and so on down the call chain.
static void giveCalleesOfTheirOwn(BasicBlock &Copy, unsigned &Budget) {
  for (Instruction &I : Copy) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    // Two uses: the original call and the one just made.
    if (!Callee || Callee->isDeclaration() || !Callee->hasLocalLinkage() ||
        !Callee->hasNUses(2) || Callee->getInstructionCount() > Budget)
      continue;
    BlockSet Everything;
    for (BasicBlock &B : *Callee)
      Everything.insert(&B);
    bool Clonable = true;
    for (BasicBlock &B : *Callee) {
      Clonable &= !B.hasAddressTaken();
      for (Instruction &CalleeInst : B)
        Clonable &= obstacle(CalleeInst, Everything) == OC_CLONE_OK;
    }
    if (!Clonable)
      continue;
    Budget -= Callee->getInstructionCount();
    ValueToValueMapTy Map;
    Function *Own = CloneFunction(Callee, Map);
    Own->setName(Callee->getName() + ".ompchunk");
    Call->setCalledFunction(Own);
    for (BasicBlock &B : *Own) {
      giveLoopIdOfItsOwn(*B.getTerminator());
      giveCalleesOfTheirOwn(B, Budget);
    }
  }
}

// Users of a value after the blocks see its copy where control comes from the copies.
static void joinWhereUsed(Instruction &I, Instruction &Own, const BlockSet &Inside) {
  SmallVector<Use *, 8> After;
  for (Use &U : I.uses()) {
    auto *User = cast<Instruction>(U.getUser());
    auto *Phi = dyn_cast<PHINode>(User);
    if (!Inside.contains(Phi ? Phi->getIncomingBlock(U) : User->getParent()))
      After.push_back(&U);
  }
  if (After.empty())
    return;
  SSAUpdater Updater;
  Updater.Initialize(I.getType(), I.getName());
  Updater.AddAvailableValue(I.getParent(), &I);
  Updater.AddAvailableValue(Own.getParent(), &Own);
  for (Use *U : After)
    Updater.RewriteUse(*U);
}

static uint32_t anyObstacle(const LLVMBasicBlockRef *Blocks, size_t Count, bool MayEscape) {
  BlockSet Inside;
  for (size_t Index = 0; Index != Count; ++Index)
    Inside.insert(unwrap(Blocks[Index]));
  for (const BasicBlock *B : Inside) {
    if (B->hasAddressTaken())
      return OC_CLONE_ADDRESS_TAKEN;
    for (const Instruction &I : *B)
      if (uint32_t Found = obstacle(I, Inside, MayEscape))
        return Found;
  }
  return OC_CLONE_OK;
}

extern "C" {

uint32_t oc_clone_obstacle(const LLVMBasicBlockRef *Blocks, size_t Count) {
  return anyObstacle(Blocks, Count, false);
}

uint32_t oc_way_obstacle(const LLVMBasicBlockRef *Blocks, size_t Count) {
  return anyObstacle(Blocks, Count, true);
}

size_t oc_instruction_count(const LLVMBasicBlockRef *Blocks, size_t Count) {
  size_t Sum = 0;
  for (size_t Index = 0; Index != Count; ++Index)
    Sum += unwrap(Blocks[Index])->size();
  return Sum;
}

void oc_clone(const LLVMBasicBlockRef *Blocks, size_t Count, LLVMBasicBlockRef *Clones,
              LLVMValueRef *Watched, size_t WatchedCount) {
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 32> Copies;
  BlockSet Inside;
  Function *F = unwrap(Blocks[0])->getParent();
  for (size_t Index = 0; Index != Count; ++Index) {
    BasicBlock *Original = unwrap(Blocks[Index]);
    // At the end of the function, so that the original blocks stay neighbours.
    BasicBlock *Copy = CloneBasicBlock(Original, Map, ".ompchunk", F);
    Map[Original] = Copy;
    Copies.push_back(Copy);
    Inside.insert(Original);
    Clones[Index] = wrap(Copy);
  }
  remapInstructionsInBlocks(Copies, Map);

  unsigned Budget = 10000;
  for (BasicBlock *Copy : Copies) {
    giveLoopIdOfItsOwn(*Copy->getTerminator());
    giveCalleesOfTheirOwn(*Copy, Budget);
  }

  for (size_t Index = 0; Index != Count; ++Index) {
    BasicBlock *Original = unwrap(Blocks[Index]);
    BasicBlock *Copy = Copies[Index];
    // Edges from outside, an unreachable block's among them, lead to the original alone.
    SmallPtrSet<BasicBlock *, 8> Predecessors(pred_begin(Copy), pred_end(Copy));
    for (PHINode &Phi : Copy->phis())
      for (unsigned Operand = Phi.getNumIncomingValues(); Operand-- != 0;)
        if (!Predecessors.contains(Phi.getIncomingBlock(Operand)))
          Phi.removeIncomingValue(Operand, /*DeletePHIIfEmpty=*/false);
    // Blocks after the loop have a new predecessor.
    for (BasicBlock *Successor : successors(Original)) {
      if (Inside.contains(Successor))
        continue;
      for (PHINode &Phi : Successor->phis()) {
        if (Phi.getBasicBlockIndex(Copy) >= 0)
          continue;
        // As many operands as edges: a switch may reach a block several times.
        for (unsigned Operand = 0, End = Phi.getNumIncomingValues(); Operand != End; ++Operand) {
          if (Phi.getIncomingBlock(Operand) != Original)
            continue;
          Value *V = Phi.getIncomingValue(Operand);
          auto Mapped = Map.find(V);
          Phi.addIncoming(Mapped == Map.end() ? V : static_cast<Value *>(Mapped->second), Copy);
        }
      }
    }
  }

  for (size_t Index = 0; Index != Count; ++Index)
    for (Instruction &I : *unwrap(Blocks[Index]))
      if (auto Mapped = Map.find(&I); Mapped != Map.end())
        if (auto *Own = dyn_cast<Instruction>(static_cast<Value *>(Mapped->second)))
          joinWhereUsed(I, *Own, Inside);

  for (size_t Index = 0; Index != WatchedCount; ++Index) {
    auto Mapped = Map.find(unwrap(Watched[Index]));
    if (Mapped != Map.end())
      Watched[Index] = wrap(static_cast<Value *>(Mapped->second));
  }
}
}
