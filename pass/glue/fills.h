// What the two halves of the proof of filled arrays share: fills.cpp finds who uses an array, covered.cpp proves that what is read was written.
#ifndef OMPCHUNK_FILLS_H
#define OMPCHUNK_FILLS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace ompchunk {
// An instruction that reads or writes. What it reads or writes is asked of the instruction, as passes replace addresses.
struct Access {
  llvm::Instruction *At;
  bool Writes;
};

// An array, or other memory of a thread's own.
struct Object {
  // What makes it; none if it is not known who uses it.
  llvm::Instruction *Root = nullptr;
  // In bytes; 0 if only the running program knows.
  uint64_t Size = 0;
  llvm::SmallVector<Access, 8> Reads, Writes;
};

// Is what a read finds written before it in each iteration of a loop around it?
bool isWrittenBefore(const Object &, const Access &Read, const llvm::Loop *Iteration, llvm::ScalarEvolution &, const llvm::DominatorTree &,
                     const llvm::LoopInfo &);
}

#endif
