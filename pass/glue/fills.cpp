// Does each iteration of a loop write what it reads of an array, before it reads it? Asked of a copy of the function whose
// variables are in registers, where scalar evolution knows which bytes inner loops fill. The copy is never run, and goes.

#include "glue.h"

#include "fills.h"

#include <cassert>

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/MemorySSAUpdater.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using ompchunk::Access;
using ompchunk::Object;

namespace {
// Copies of larger functions, or comparing more reads with writes, would take the compiler's time.
constexpr unsigned MOST_INSTRUCTIONS = 20000, MOST_PAIRS = 20000;
// Functions that are inlined into the copy: such as `std::array`'s.
constexpr unsigned MOST_OF_CALLEE = 60, MOST_INLINED = 3000;

// The same code, without what only debuggers need: they alone have metadata that names values.
Function *copyOf(Function &F, DenseMap<const Value *, Value *> &Map) {
  // Without a name, as another one of its name would change how later ones are numbered.
  Function *Copy = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(), "", F.getParent());
  Copy->copyAttributesFrom(&F);
  Copy->removeFnAttr(Attribute::OptimizeNone);
  for (Argument &Parameter : F.args())
    Map[&Parameter] = Copy->getArg(Parameter.getArgNo());
  for (BasicBlock &B : F) {
    IRBuilder<> Behind(BasicBlock::Create(F.getContext(), "", Copy));
    Map[&B] = Behind.GetInsertBlock();
    for (Instruction &I : B)
      if (!I.isDebugOrPseudoInst())
        Map[&I] = Behind.Insert(I.clone());
  }
  for (BasicBlock &B : *Copy)
    for (Instruction &I : B) {
      I.setDebugLoc(DebugLoc());
      for (Use &Operand : I.operands())
        if (Value *New = Map.lookup(Operand))
          Operand = New;
      if (auto *Phi = dyn_cast<PHINode>(&I))
        for (unsigned At = 0; At != Phi->getNumIncomingValues(); ++At)
          Phi->setIncomingBlock(At, cast<BasicBlock>(Map.lookup(Phi->getIncomingBlock(At))));
    }
  return Copy;
}

bool isWorthInlining(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee != Call.getFunction() && !Callee->isDeclaration() && !Callee->isInterposable() && !Callee->isVarArg() &&
         Callee->getInstructionCount() <= MOST_OF_CALLEE && !Callee->callsFunctionThatReturnsTwice() &&
         any_of(Call.args(), [](const Use &Argument) { return Argument->getType()->isPointerTy(); });
}

// Elements of C++'s containers are reached by calls.
void inlineSmall(Function &F) {
  unsigned Inlined = 0;
  for (bool Changed = true; Changed;) {
    Changed = false;
    SmallVector<CallBase *, 16> Calls;
    for (BasicBlock &B : F)
      for (Instruction &I : B)
        if (auto *Call = dyn_cast<CallBase>(&I); Call && isWorthInlining(*Call))
          Calls.push_back(Call);
    for (CallBase *Call : Calls) {
      Inlined += Call->getCalledFunction()->getInstructionCount();
      InlineFunctionInfo Info;
      Changed |= Inlined <= MOST_INLINED && InlineFunction(*Call, Info).isSuccess();
    }
  }
}

// Flang keeps an array's address and bounds in a structure, which is stored as a whole.
void takeOutOfDescriptors(Function &F) {
  for (BasicBlock &B : F)
    for (Instruction &I : make_early_inc_range(B))
      if (auto *Taken = dyn_cast<ExtractValueInst>(&I))
        if (Value *Put = FindInsertedValue(Taken->getAggregateOperand(), Taken->getIndices()))
          Taken->replaceAllUsesWith(Put);
  for (BasicBlock &B : F)
    for (Instruction &I : make_early_inc_range(reverse(B)))
      if ((isa<ExtractValueInst>(I) || isa<InsertValueInst>(I)) && I.use_empty())
        I.eraseFromParent();
}

// Loads that say how often loops run, or where objects are accessed.
SmallPtrSet<const Instruction *, 32> loadsThatCount(ArrayRef<Object> Objects, const LoopInfo &Loops) {
  SmallVector<const Value *, 32> Open;
  for (const Loop *L : Loops.getLoopsInPreorder()) {
    SmallVector<BasicBlock *, 4> Exiting;
    L->getExitingBlocks(Exiting);
    for (const BasicBlock *B : Exiting)
      Open.push_back(B->getTerminator());
  }
  for (const Object &Made : Objects)
    for (const auto *Accesses : {&Made.Reads, &Made.Writes})
      for (const Access &A : *Accesses)
        Open.push_back(A.At);
  SmallPtrSet<const Instruction *, 32> Known, Loads;
  while (!Open.empty()) {
    const auto *I = dyn_cast<Instruction>(Open.pop_back_val());
    if (!I || !Known.insert(I).second)
      continue;
    if (isa<LoadInst>(I))
      Loads.insert(I);
    Open.append(I->op_begin(), I->op_end());
  }
  return Loads;
}

// Scalar evolution knows how often a loop runs whose bound is loaded once: where nothing in the loop writes there.
void hoistLoads(Function &F, ArrayRef<Object> Objects, FunctionAnalysisManager &FAM) {
  const auto Counting = loadsThatCount(Objects, FAM.getResult<LoopAnalysis>(F));
  if (Counting.empty())
    return;
  MemorySSA &Memory = FAM.getResult<MemorySSAAnalysis>(F).getMSSA();
  MemorySSAUpdater Updater(&Memory);
  const auto Loops = FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    BasicBlock *Before = L->getLoopPredecessor();
    if (!Before)
      continue;
    for (BasicBlock *B : L->blocks())
      for (Instruction &I : make_early_inc_range(*B)) {
        auto *Load = dyn_cast<LoadInst>(&I);
        auto *Use = Load && Load->isSimple() && Counting.contains(Load) ? dyn_cast_or_null<MemoryUse>(Memory.getMemoryAccess(Load)) : nullptr;
        if (!Use || L->contains(Memory.getWalker()->getClobberingMemoryAccess(Use)->getBlock()))
          continue;
        bool Moved = false;
        if (!L->makeLoopInvariant(Load->getPointerOperand(), Moved, Before->getTerminator()))
          continue;
        Load->moveBefore(*Before, Before->getTerminator()->getIterator());
        Updater.moveToPlace(Use, Before, MemorySSA::BeforeTerminator);
      }
  }
}

// What is asked for, as flang does, whose library is unknown to LLVM.
const ConstantInt *askedOfMalloc(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  const bool IsIts = Callee && Callee->isDeclaration() && Callee->getName() == "malloc" && Call.arg_size() == 1;
  return IsIts ? dyn_cast<ConstantInt>(Call.getArgOperand(0)) : nullptr;
}

bool isFree(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && (Callee->getName() == "free" || Callee->getName().find("_ZdlPv") == 0 || Callee->getName().find("_ZdaPv") == 0);
}
} // namespace

namespace ompchunk {
struct Fills {
  Function *Copy = nullptr;
  FunctionAnalysisManager &FAM;
  // The last function of the module before there was a copy.
  Function *Last;
  DenseMap<const BasicBlock *, WeakVH> Blocks;
  SmallVector<Object, 4> Objects;

  Fills(Function &F, ArrayRef<LLVMValueRef> Roots, FunctionAnalysisManager &FAM) : FAM(FAM), Last(&*std::prev(F.getParent()->end())) {
    Objects.resize(Roots.size());
    const bool IsStrange = any_of(F, [](const BasicBlock &B) { return B.hasAddressTaken(); }) || F.callsFunctionThatReturnsTwice();
    if (IsStrange || F.getInstructionCount() > MOST_INSTRUCTIONS)
      return;
    LLVMContext &Context = F.getContext();
    const bool Discards = Context.shouldDiscardValueNames();
    Context.setDiscardValueNames(true);
    make(F, Roots);
    Context.setDiscardValueNames(Discards);
  }

  void make(Function &F, ArrayRef<LLVMValueRef> Roots) {
    DenseMap<const Value *, Value *> Map;
    Copy = copyOf(F, Map);
    for (const BasicBlock &B : F)
      Blocks[&B] = WeakVH(Map.lookup(&B));
    for (auto [Made, Root] : zip(Objects, Roots))
      Made.Root = rootOf(cast<Instruction>(Map.lookup(unwrap(Root))), Made.Size);
    inlineSmall(*Copy);
#if LLVM_VERSION_MAJOR >= 16
    SROAPass(SROAOptions::PreserveCFG).run(*Copy, FAM);
#else
    SROAPass().run(*Copy, FAM);
#endif
    takeOutOfDescriptors(*Copy);
    FAM.invalidate(*Copy, PreservedAnalyses::none());
    // Of a cycle that is entered in several places nobody knows where its iterations begin.
    ReversePostOrderTraversal<const Function *> Order(Copy);
    if (containsIrreducibleCFG<const BasicBlock *>(Order, FAM.getResult<LoopAnalysis>(*Copy))) {
      Objects.assign(Objects.size(), Object());
      return;
    }
    for (Object &Made : Objects)
      if (Made.Root && (!follow(Made) || Made.Reads.size() * Made.Writes.size() > MOST_PAIRS))
        Made.Root = nullptr;
    hoistLoads(*Copy, Objects, FAM);
    EarlyCSEPass(/*UseMemorySSA=*/true).run(*Copy, FAM);
    PreservedAnalyses Kept;
    Kept.preserveSet<CFGAnalyses>();
    FAM.invalidate(*Copy, Kept);
  }

  ~Fills() {
    if (!Copy)
      return;
    FAM.clear(*Copy, Copy->getName());
    Copy->dropAllReferences();
    // What was declared for the copy alone comes behind it.
    Module &M = *Copy->getParent();
    for (Function *New; (New = &*std::prev(M.end())) != Last;) {
      assert(New->use_empty());
      New->eraseFromParent();
    }
  }

  // What is the object's address in the copy: the result of a call of which nothing is known, so that no pass takes the object apart.
  Instruction *rootOf(Instruction *Root, uint64_t &Size) {
    const TargetLibraryInfo &Library = FAM.getResult<TargetLibraryAnalysis>(*Copy);
    Module &M = *Copy->getParent();
    if (auto *Call = dyn_cast<CallBase>(Root)) {
      // What `realloc` returns has what was there before.
      if (any_of(Call->args(), [](const Use &Argument) { return Argument->getType()->isPointerTy(); }))
        return nullptr;
      if (const auto Bytes = getAllocSize(Call, &Library))
        Size = Bytes->getZExtValue();
      else if (const auto *Asked = askedOfMalloc(*Call))
        Size = Asked->getZExtValue();
      else if (!isAllocationFn(Call, &Library))
        return nullptr;
      Call->addRetAttr(Attribute::NoAlias);
      return Call;
    }
    auto *Variable = cast<AllocaInst>(Root);
    if (const auto Bits = Variable->getAllocationSizeInBits(M.getDataLayout()))
      Size = Bits->isScalable() ? 0 : Bits->getKnownMinValue() / 8;
    Function *Maker = Function::Create(FunctionType::get(Variable->getType(), false), GlobalValue::ExternalLinkage, "", M);
    Maker->setOnlyAccessesInaccessibleMemory();
    Maker->addFnAttr(Attribute::NoUnwind);
    Maker->addFnAttr(Attribute::WillReturn);
    Maker->addRetAttr(Attribute::NoAlias);
    for (User *U : make_early_inc_range(Variable->users()))
      if (auto *Life = dyn_cast<IntrinsicInst>(U); Life && Life->isLifetimeStartOrEnd())
        Life->eraseFromParent();
    CallInst *Made = IRBuilder<>(Variable).CreateCall(Maker);
    Variable->replaceAllUsesWith(Made);
    Variable->eraseFromParent();
    return Made;
  }

  // Finds all that uses the object; its accesses become volatile, so that they stay. False if it may be reached without being named.
  bool follow(Object &Made) {
    SmallVector<Value *, 16> Addresses{Made.Root};
    SmallPtrSet<Value *, 16> Known;
    while (!Addresses.empty()) {
      Value *Address = Addresses.pop_back_val();
      for (User *U : Address->users()) {
        auto *I = cast<Instruction>(U);
        const bool IsLeading = isa<GetElementPtrInst>(I) || isa<BitCastInst>(I) || isa<PHINode>(I) || isa<SelectInst>(I);
        if (IsLeading && I->getType()->isPointerTy()) {
          if (Known.insert(I).second)
            Addresses.push_back(I);
        } else if (!addAccess(Made, *I, Address) && !isHarmless(*I))
          return false;
      }
    }
    return true;
  }

  static bool addAccess(Object &Made, Instruction &I, Value *Address) {
    const DataLayout &Layout = I.getModule()->getDataLayout();
    if (isa<MemSetInst>(I) || isa<MemTransferInst>(I)) {
      auto &Bytes = cast<MemIntrinsic>(I);
      if (Bytes.getRawDest() == Address)
        Made.Writes.push_back({&I, true});
      if (auto *Copied = dyn_cast<MemTransferInst>(&I); Copied && Copied->getRawSource() == Address)
        Made.Reads.push_back({&I, false});
      Bytes.setVolatile(ConstantInt::getTrue(I.getContext()));
      return true;
    }
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    const bool IsSimple = Load ? Load->isSimple() : Store && Store->isSimple() && Store->getValueOperand() != Address;
    const TypeSize Size = IsSimple ? Layout.getTypeStoreSize(getLoadStoreType(&I)) : TypeSize::getFixed(0);
    if (!IsSimple || Size.isScalable())
      return false;
    (Load ? Made.Reads : Made.Writes).push_back({&I, Store != nullptr});
    Load ? Load->setVolatile(true) : Store->setVolatile(true);
    return true;
  }

  static bool isHarmless(const Instruction &I) {
    const auto Compares = [](const User *U) { return isa<ICmpInst>(U); };
    return isa<ICmpInst>(I) || isFree(I) || I.isLifetimeStartOrEnd() || I.isDroppable() || (isa<PtrToIntInst>(I) && all_of(I.users(), Compares));
  }

  // The loops of which an iteration is one of the worksharing loop.
  SmallVector<const Loop *, 2> iterations(ArrayRef<LLVMBasicBlockRef> Repeated, bool InChunks) {
    SmallPtrSet<const BasicBlock *, 16> Inside;
    for (LLVMBasicBlockRef B : Repeated)
      if (const auto *Block = dyn_cast_or_null<BasicBlock>(static_cast<Value *>(Blocks.lookup(unwrap(B)))))
        Inside.insert(Block);
    SmallVector<const Loop *, 2> Found;
    for (const Loop *L : FAM.getResult<LoopAnalysis>(*Copy).getLoopsInPreorder()) {
      const Loop *Around = L->getParentLoop();
      if (!Inside.contains(L->getHeader()) || (Around && Inside.contains(Around->getHeader())))
        continue;
      if (InChunks)
        Found.append(L->begin(), L->end());
      else
        Found.push_back(L);
    }
    return Found;
  }

  // Is the object read between the last iteration and the end of the loop?
  bool isReadBehind(const Object &Made, ArrayRef<const Loop *> Iterations) {
    SmallPtrSet<const Instruction *, 8> Readers;
    for (const Access &R : Made.Reads)
      Readers.insert(R.At);
    SmallVector<BasicBlock *, 16> Open;
    for (const Loop *L : Iterations)
      L->getExitBlocks(Open);
    SmallPtrSet<const BasicBlock *, 32> Known;
    while (!Open.empty()) {
      const BasicBlock *B = Open.pop_back_val();
      if (any_of(Iterations, [&](const Loop *L) { return L->contains(B); }) || !Known.insert(B).second)
        continue;
      bool IsEnd = false;
      for (const Instruction &I : *B) {
        const auto *Call = dyn_cast<CallBase>(&I);
        const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        IsEnd = Callee && Callee->getName() == "__kmpc_for_static_fini";
        if (IsEnd)
          break;
        if (Readers.contains(&I))
          return true;
      }
      if (!IsEnd)
        for (const BasicBlock *Next : successors(B))
          Open.push_back(const_cast<BasicBlock *>(Next));
    }
    return false;
  }

  bool holds(const Object &Made, ArrayRef<LLVMBasicBlockRef> Repeated, bool InChunks) {
    if (!Made.Root)
      return false;
    const auto Iterations = iterations(Repeated, InChunks);
    auto &Evolution = FAM.getResult<ScalarEvolutionAnalysis>(*Copy);
    const auto &Dominators = FAM.getResult<DominatorTreeAnalysis>(*Copy);
    const auto &Loops = FAM.getResult<LoopAnalysis>(*Copy);
    const auto IsProven = [&](const Access &R) {
      const auto *Around = find_if(Iterations, [&](const Loop *L) { return L->contains(R.At); });
      // What an iteration makes anew has nothing of the one before.
      return Around == Iterations.end() || (*Around)->contains(Made.Root) || isWrittenBefore(Made, R, *Around, Evolution, Dominators, Loops);
    };
    return !Iterations.empty() && all_of(Made.Reads, IsProven) && !isReadBehind(Made, Iterations);
  }
};
} // namespace ompchunk

extern "C" {
ompchunk::Fills *oc_fills_new(LLVMValueRef F, const LLVMValueRef *Roots, size_t Count) {
  return ompchunk::Functions ? new ompchunk::Fills(*unwrap<Function>(F), ArrayRef<LLVMValueRef>(Roots, Count), *ompchunk::Functions) : nullptr;
}

void oc_fills_free(ompchunk::Fills *Fills) { delete Fills; }

int oc_fills_hold(ompchunk::Fills *Fills, size_t Root, const LLVMBasicBlockRef *Repeated, size_t Count, int InChunks) {
  return Fills->Copy && Fills->holds(Fills->Objects[Root], ArrayRef<LLVMBasicBlockRef>(Repeated, Count), InChunks);
}
}
