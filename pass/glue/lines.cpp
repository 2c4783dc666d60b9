// Source lines, as coverage counts them: GCOVProfiler counts how often each block runs, and gcov adds that
// up by the lines that stand in the block.

#include "glue.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

// The position of the instruction, if its line counts.
static const DILocation *counted(const Instruction &I) {
  const DILocation *At = I.getDebugLoc();
  if (!At || At->getLine() == 0 || At->isImplicitCode())
    return nullptr;
  // What is inlined already counts for nobody.
  return At->getScope()->getSubprogram() == I.getFunction()->getSubprogram() ? At : nullptr;
}

static bool sameLine(const DILocation *Left, const DILocation *Right) {
  return Left->getLine() == Right->getLine() && Left->getFilename() == Right->getFilename();
}

static bool hasLine(const BasicBlock &B, const DILocation *Line) {
  for (const Instruction &I : B)
    if (const DILocation *At = counted(I))
      if (sameLine(At, Line))
        return true;
  return false;
}

static bool areCounted(const Function &F) {
  return F.getSubprogram() && F.getParent()->getNamedMetadata("llvm.gcov");
}

void ompchunk::carryLines(BasicBlock &Between) {
  const BasicBlock *From = Between.getUniquePredecessor();
  const BasicBlock *To = Between.getUniqueSuccessor();
  if (!From || !To || !areCounted(*Between.getParent()))
    return;
  // A way from a block of a line to another block of it does not count as a further time.
  IRBuilder<> Builder(Between.getTerminator());
  for (const Instruction &I : *From) {
    const DILocation *At = counted(I);
    if (!At || !hasLine(*To, At) || hasLine(Between, At))
      continue;
    // Something that has a line and does nothing.
    Constant *Zero = Builder.getInt32(0);
    Builder.SetCurrentDebugLocation(DebugLoc(At));
    Builder.Insert(new BitCastInst(Zero, Zero->getType()));
  }
}

extern "C" {

int oc_lines_are_counted(LLVMValueRef F) { return areCounted(*unwrap<Function>(F)); }

LLVMMetadataRef oc_uncounted_position(LLVMValueRef I) {
  const DILocation *At = unwrap<Instruction>(I)->getDebugLoc();
  if (!At)
    return nullptr;
  return wrap(DILocation::get(At->getContext(), At->getLine(), At->getColumn(), At->getScope(),
                              At->getInlinedAt(), /*ImplicitCode=*/true));
}

}
