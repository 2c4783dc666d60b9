// Remarks and diagnostics, through the compiler's own channels.

#include "glue.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static const char PassName[] = "ompchunk";

namespace {
// A warning or error that belongs to no source line. DiagnosticInfoGeneric changed its constructor
// between versions; this does not.
class PluginDiagnostic : public DiagnosticInfo {
  std::string Message;

public:
  PluginDiagnostic(DiagnosticSeverity Severity, const char *Message)
      : DiagnosticInfo(getNextAvailablePluginDiagnosticKind(), Severity), Message(Message) {}
  void print(DiagnosticPrinter &Printer) const override;
};
} // namespace

#include "llvm/IR/DiagnosticPrinter.h"
void PluginDiagnostic::print(DiagnosticPrinter &Printer) const { Printer << Message; }

extern "C" {

void oc_remark(LLVMValueRef I, int Passed, const char *Name, const char *Message) {
  auto *Inst = unwrap<Instruction>(I);
  OptimizationRemarkEmitter Emitter(Inst->getFunction());
  if (Passed)
    Emitter.emit([&] { return OptimizationRemark(PassName, Name, Inst) << Message; });
  else
    Emitter.emit([&] { return OptimizationRemarkMissed(PassName, Name, Inst) << Message; });
}

void oc_warning(LLVMModuleRef M, const char *Message) {
  unwrap(M)->getContext().diagnose(PluginDiagnostic(DS_Warning, Message));
}

void oc_error(LLVMModuleRef M, const char *Message) {
  unwrap(M)->getContext().emitError(Message);
}
}
