// Which bytes of an array loops write before others read them.
//
// A read is proven by writes that come before it on each way from the beginning of its iteration: one store or memset, or one that each
// iteration of a counted loop comes to which is left, by the counted way out, before the read. As compilers do, the proof takes for granted
// that nothing is accessed beyond an array's end.

#include "fills.h"

#include <optional>

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using ompchunk::Access;
using ompchunk::Object;

namespace {
// How many iterations of an inner loop ago a read may have been written.
constexpr int64_t MOST_AGO = 4;

// One of several iterations' accesses lie so far behind those of the one before, and there are so many.
struct Level {
  const SCEV *Step, *Count;
};

// Bytes from the first one on, behind the beginning of an object, over the levels of loops from the innermost on.
struct Span {
  const SCEV *First = nullptr, *Size = nullptr;
  SmallVector<Level, 3> Levels;
  // The levels are not all.
  bool IsUnknown = false;
};

using Range = std::pair<int64_t, int64_t>;

std::optional<int64_t> constant(const SCEV *S) {
  const auto *Constant = dyn_cast_or_null<SCEVConstant>(S);
  if (!Constant || Constant->getAPInt().getSignificantBits() > 62)
    return std::nullopt;
  return Constant->getAPInt().getSExtValue();
}

struct Proof {
  const Object &O;
  ScalarEvolution &SE;
  const DominatorTree &DT;
  const LoopInfo &LI;

  Type *word() const { return Type::getInt64Ty(SE.getContext()); }
  const SCEV *number(int64_t Value) const { return SE.getConstant(word(), Value, /*isSigned=*/true); }

  static Value *addressOf(const Access &A) {
    if (auto *Bytes = dyn_cast<MemIntrinsic>(A.At))
      return A.Writes ? Bytes->getRawDest() : cast<MemTransferInst>(Bytes)->getRawSource();
    return getLoadStorePointerOperand(A.At);
  }

  // Behind the beginning of the object; null if an address is not known to be in it.
  const SCEV *offset(const Access &A) const {
    const SCEV *Address = SE.getSCEV(addressOf(A));
    if (SE.getPointerBase(Address) != SE.getSCEV(O.Root))
      return nullptr;
    const SCEV *Offset = SE.removePointerBase(Address);
    return Offset->getType() == word() ? Offset : nullptr;
  }

  const SCEV *size(const Access &A) const {
    if (const auto *Bytes = dyn_cast<MemIntrinsic>(A.At))
      return SE.getTruncateOrZeroExtend(SE.getSCEV(Bytes->getLength()), word());
    return number(A.At->getModule()->getDataLayout().getTypeStoreSize(getLoadStoreType(A.At)).getKnownMinValue());
  }

  // How often a way out of a loop is refused before it is taken, if the loop is not left in another way; else null.
  const SCEV *refusals(const Loop *L, BasicBlock *Exiting) const {
    const BasicBlock *Latch = L->getLoopLatch();
    const Instruction *Branch = Exiting->getTerminator();
    if (!Latch || LI.getLoopFor(Exiting) != L || !DT.dominates(Exiting, Latch) || Branch->getNumSuccessors() != 2 ||
        L->contains(Branch->getSuccessor(0)) == L->contains(Branch->getSuccessor(1)))
      return nullptr;
    const SCEV *Count = SE.getExitCount(L, Exiting);
    if (isa<SCEVCouldNotCompute>(Count) || !Count->getType()->isIntegerTy() || Count->getType()->getIntegerBitWidth() > 64)
      return nullptr;
    return SE.getNoopOrZeroExtend(Count, word());
  }

  static BasicBlockEdge edge(const Loop *L, const BasicBlock *Exiting, bool Out) {
    const Instruction *Branch = Exiting->getTerminator();
    return BasicBlockEdge(Exiting, Branch->getSuccessor(L->contains(Branch->getSuccessor(0)) == Out));
  }

  // What is written, in each iteration of the outer loop, before it comes to an instruction.
  bool written(const Access &W, const Instruction *Reader, const Loop *Outer, Span &Written) const {
    Written.First = offset(W);
    Written.Size = size(W);
    if (!Written.First)
      return false;
    std::optional<BasicBlockEdge> Left;
    const auto ComesBefore = [&](const Instruction *Then) {
      return Left ? DT.dominates(*Left, Then->getParent()) : DT.dominates(W.At, Then);
    };
    for (const Loop *L = LI.getLoopFor(W.At->getParent()); L != Outer; L = L->getParentLoop()) {
      const Loop *Parent = L->getParentLoop();
      const BasicBlock *End = Parent == Outer ? Reader->getParent() : Parent->getLoopLatch();
      SmallVector<BasicBlock *, 4> Exiting;
      L->getExitingBlocks(Exiting);
      const SCEV *Count = nullptr;
      for (BasicBlock *Way : Exiting)
        if (End && (Count = refusals(L, Way)) && DT.dominates(edge(L, Way, true), End)) {
          if (ComesBefore(Way->getTerminator()))
            Count = SE.getAddExpr(Count, number(1));
          else if (!ComesBefore(L->getLoopLatch()->getTerminator()))
            return false;
          Left.emplace(edge(L, Way, true));
          break;
        } else
          Count = nullptr;
      if (!Count || !SE.isLoopInvariant(Written.Size, L) ||
          any_of(Written.Levels, [&](const Level &In) { return !SE.isLoopInvariant(In.Step, L) || !SE.isLoopInvariant(In.Count, L); }))
        return false;
      const SCEV *Step = advance(Written.First, L);
      if (!Step)
        return false;
      Written.Levels.push_back({Step, Count});
    }
    return ComesBefore(Reader);
  }

  // By how much an offset grows with each iteration of a loop, which it then no longer depends on; else null.
  const SCEV *advance(const SCEV *&Offset, const Loop *L) const {
    if (SE.isLoopInvariant(Offset, L))
      return number(0);
    const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Offset);
    if (!Recurrence || Recurrence->getLoop() != L || !Recurrence->isAffine())
      return nullptr;
    Offset = Recurrence->getStart();
    return Recurrence->getStepRecurrence(SE);
  }

  // All that may be read by one instruction in an iteration of the outer loop.
  Span read(const Access &R, const Loop *Outer) const {
    Span Read;
    Read.First = offset(R);
    Read.Size = size(R);
    Read.IsUnknown = !Read.First;
    for (const Loop *L = LI.getLoopFor(R.At->getParent()); L != Outer && !Read.IsUnknown; L = L->getParentLoop()) {
      const SCEV *Step = advance(Read.First, L);
      Read.IsUnknown = !Step || !SE.isLoopInvariant(Read.Size, L);
      if (Read.IsUnknown || Step->isZero())
        continue;
      if (const SCEV *Count = most(R.At, L))
        Read.Levels.push_back({Step, Count});
      else
        Read.IsUnknown = true;
    }
    return Read;
  }

  // Only before that iteration of a loop is an instruction executed.
  const SCEV *most(const Instruction *At, const Loop *L) const {
    SmallVector<BasicBlock *, 4> Exiting;
    L->getExitingBlocks(Exiting);
    for (BasicBlock *Way : Exiting)
      if (const SCEV *Count = refusals(L, Way)) {
        if (DT.dominates(edge(L, Way, false), At->getParent()))
          return Count;
        if (!SE.getUnsignedRangeMax(Count).isMaxValue())
          return SE.getAddExpr(Count, number(1));
      }
    return nullptr;
  }

  bool isAtMost(const SCEV *A, const SCEV *B, const Instruction *At) const {
    return A == B || SE.isKnownPredicateAt(ICmpInst::ICMP_ULE, A, B, At);
  }

  // The same accesses, with each level's last one first where they go down.
  void goUp(Span &S) const {
    for (Level &L : S.Levels) {
      const auto Step = constant(L.Step);
      if (Step && *Step < 0) {
        S.First = SE.getAddExpr(S.First, SE.getMulExpr(L.Step, SE.getMinusSCEV(L.Count, number(1))));
        L.Step = number(-*Step);
      }
    }
  }

  // How many bytes on from the first one are written without a gap; null if there may be gaps.
  const SCEV *withoutGap(const Span &W, const Instruction *Reader) const {
    const SCEV *Length = W.Size;
    for (const Level &L : W.Levels) {
      const auto Step = constant(L.Step), Count = constant(L.Count), Bytes = constant(Length);
      const bool IsSome = isAtMost(number(1), L.Count, Reader);
      if (Step && *Step == 0) {
        if (!IsSome)
          return nullptr;
      } else if (Step && Count && Bytes && *Step > 0 && *Step <= *Bytes && *Count > 0 && *Step < INT32_MAX && *Count < INT32_MAX)
        Length = number(*Step * (*Count - 1) + *Bytes);
      else if (L.Step == Length)
        Length = SE.getMulExpr(Length, L.Count);
      else
        return nullptr;
    }
    return Length;
  }

  // Bytes that may be read, counted from the read's first one.
  std::optional<Range> reach(const Span &R) const {
    const auto Bytes = constant(R.Size);
    if (R.IsUnknown || !Bytes || *Bytes > INT32_MAX)
      return std::nullopt;
    Range All{0, *Bytes};
    for (const Level &L : R.Levels) {
      const auto Step = constant(L.Step);
      const APInt Count = SE.getUnsignedRangeMax(L.Count);
      if (!Step || *Step <= 0 || *Step > INT32_MAX || Count.ugt(INT32_MAX))
        return std::nullopt;
      All.second += *Step * (static_cast<int64_t>(std::max<uint64_t>(Count.getZExtValue(), 1)) - 1);
    }
    return All;
  }

  // Is each access that reads at the place of one that writes, as its loops count as far?
  bool isMatched(const Span &W, const Span &R, const Instruction *Reader) const {
    auto Behind = constant(SE.getMinusSCEV(R.First, W.First));
    if (R.IsUnknown || !Behind || *Behind < 0)
      return false;
    const auto Wide = constant(W.Size), Narrow = constant(R.Size);
    const bool IsSameSize = W.Size == R.Size && *Behind == 0;
    SmallVector<Level, 3> Open(W.Levels.begin(), W.Levels.end());
    for (const Level &L : R.Levels) {
      auto *Fits = find_if(Open, [&](const Level &In) { return In.Step == L.Step; });
      if (Fits == Open.end())
        return false;
      // As many iterations later as the read lies behind the write.
      const auto Step = constant(L.Step);
      const bool IsLater = Step && *Step > 0 && *Behind >= *Step;
      const SCEV *Count = IsLater ? SE.getAddExpr(L.Count, number(*Behind / *Step)) : L.Count;
      if (IsLater && SE.getUnsignedRangeMax(L.Count).getActiveBits() > 60)
        return false;
      if (!isAtMost(Count, Fits->Count, Reader))
        return false;
      if (IsLater)
        *Behind %= *Step;
      Open.erase(Fits);
    }
    const bool IsInside = Wide && Narrow && *Behind + *Narrow <= *Wide;
    return (IsSameSize || IsInside) && all_of(Open, [&](const Level &In) { return isAtMost(number(1), In.Count, Reader); });
  }

  // All bytes of the object that a read may be of, counted from the object's beginning.
  std::optional<Range> anywhere(const Access &R) const {
    if (!O.Size || O.Size > INT32_MAX)
      return std::nullopt;
    Range All{0, static_cast<int64_t>(O.Size)};
    const SCEV *Offset = offset(R);
    const auto Bytes = constant(size(R));
    if (Offset && Bytes && SE.getUnsignedRangeMax(Offset).ult(O.Size)) {
      All.first = SE.getUnsignedRangeMin(Offset).getZExtValue();
      All.second = std::min(All.second, static_cast<int64_t>(SE.getUnsignedRangeMax(Offset).getZExtValue()) + *Bytes);
    }
    return All;
  }

  static bool areAmong(const std::optional<Range> &All, SmallVectorImpl<Range> &Ranges) {
    if (!All)
      return false;
    sort(Ranges);
    int64_t Upto = All->first;
    for (const Range &Next : Ranges)
      if (Next.first <= Upto)
        Upto = std::max(Upto, Next.second);
    return Upto >= All->second;
  }

  // Is all of a span that one access reads written before an instruction, in the same iteration of the outer loop?
  bool isWritten(const Access &R, Span Read, const Loop *Outer) const {
    goUp(Read);
    SmallVector<Range, 8> Behind, Written;
    for (const Access &W : O.Writes) {
      Span Write;
      if (!Outer->contains(W.At) || !written(W, R.At, Outer, Write))
        continue;
      goUp(Write);
      if (Read.First && isMatched(Write, Read, R.At))
        return true;
      const SCEV *Length = withoutGap(Write, R.At);
      const APInt Bytes = Length ? SE.getUnsignedRangeMin(Length) : APInt();
      if (!Length || Bytes.ugt(INT32_MAX))
        continue;
      const auto Add = [&](SmallVectorImpl<Range> &To, const SCEV *From) {
        if (const auto Start = constant(From))
          To.emplace_back(*Start, *Start + static_cast<int64_t>(Bytes.getZExtValue()));
      };
      Add(Written, Write.First);
      if (Read.First)
        Add(Behind, SE.getMinusSCEV(Write.First, Read.First));
    }
    return areAmong(reach(Read), Behind) || areAmong(anywhere(R), Written);
  }

  // Was it written some iterations of an inner loop ago, and what that loop's first iterations read before the loop?
  bool isWrittenAgo(const Access &R, const Loop *Inner, const Loop *Iteration) const {
    const auto *Reads = dyn_cast_or_null<SCEVAddRecExpr>(offset(R));
    if (!Reads || Reads->getLoop() != Inner || !Reads->isAffine() || !Inner->getLoopLatch() || !constant(size(R)))
      return false;
    const auto Step = constant(Reads->getStepRecurrence(SE));
    const auto IsWrittenBefore = [&](int64_t Ago) {
      const Span Read{SE.getAddExpr(Reads->getStart(), number(Ago * *Step)), size(R), {}, false};
      for (const Loop *Outer = Inner; Outer != Iteration;)
        if (Outer = Outer->getParentLoop(); isWritten(R, Read, Outer))
          return true;
      return false;
    };
    return Step && *Step && any_of(O.Writes, [&](const Access &W) {
             const auto *Writes = dyn_cast_or_null<SCEVAddRecExpr>(offset(W));
             if (!Writes || Writes->getLoop() != Inner || !Writes->isAffine() || !constant(size(W)) || *constant(size(W)) < *constant(size(R)) ||
                 LI.getLoopFor(W.At->getParent()) != Inner || !DT.dominates(W.At, Inner->getLoopLatch()->getTerminator()) ||
                 Writes->getStepRecurrence(SE) != Reads->getStepRecurrence(SE))
               return false;
             const auto Ahead = constant(SE.getMinusSCEV(Writes->getStart(), Reads->getStart()));
             const int64_t Ago = Ahead && *Ahead % *Step == 0 ? *Ahead / *Step : 0;
             if (Ago < 1 || Ago > MOST_AGO)
               return false;
             for (int64_t First = 0; First != Ago; ++First)
               if (!IsWrittenBefore(First))
                 return false;
             return true;
           });
  }

  bool isProven(const Access &R, const Loop *Iteration) const {
    const Loop *Inner = LI.getLoopFor(R.At->getParent());
    for (const Loop *Outer = Inner;; Outer = Outer->getParentLoop()) {
      if (isWritten(R, read(R, Outer), Outer))
        return true;
      if (Outer == Iteration)
        return Inner != Iteration && isWrittenAgo(R, Inner, Iteration);
    }
  }
};
} // namespace

bool ompchunk::isWrittenBefore(const Object &O, const Access &Read, const Loop *Iteration, ScalarEvolution &SE, const DominatorTree &DT,
                               const LoopInfo &LI) {
  return Proof{O, SE, DT, LI}.isProven(Read, Iteration);
}
