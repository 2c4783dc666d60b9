// Registration: where in the pipeline the pass runs, and its name for `opt -passes=`.

#include "glue.h"

#include <cstdio>

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
// The header moved with LLVM 22.
#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

using namespace llvm;

#if LLVM_VERSION_MAJOR < 16
// New in LLVM 16: a host without it is older.
extern "C" __attribute__((weak)) void LLVMGetVersion(unsigned *Major, unsigned *Minor, unsigned *Patch);
#endif

namespace {

// Set before anything is registered. Handed over, because the Rust side exports nothing but the
// function that LLVM looks up.
oc_run_t Run = nullptr;

struct OmpChunkPass : PassInfoMixin<OmpChunkPass> {
  bool Optimize;
  explicit OmpChunkPass(bool Optimize) : Optimize(Optimize) {}

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    ompchunk::Functions = &MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    const uint32_t Done = Run(wrap(&M), Optimize);
    ompchunk::Functions = nullptr;
    return Done == OC_UNCHANGED ? PreservedAnalyses::all() : PreservedAnalyses::none();
  }
  // Also on `optnone` functions: instrumentation is no optimization.
  static bool isRequired() { return true; }
};

bool hostIsTheLLVMWeWereBuiltFor() {
  unsigned Major = 0, Minor = 0, Patch = 0;
#if LLVM_VERSION_MAJOR < 16
  if (!LLVMGetVersion)
    return true;
#endif
  LLVMGetVersion(&Major, &Minor, &Patch);
  if (Major == LLVM_VERSION_MAJOR)
    return true;
  // Before any pass exists there is no diagnostic handler to report through.
  std::fprintf(stderr,
               "ompchunk: warning: this plugin is built for LLVM %d, but the compiler is LLVM %u; "
               "nothing is instrumented. Load lib/llvm-%u/libompchunk.so instead.\n",
               LLVM_VERSION_MAJOR, Major, Major);
  return false;
}

void registerCallbacks(PassBuilder &PB) {
  if (!hostIsTheLLVMWeWereBuiltFor())
    return;
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
    MPM.addPass(OmpChunkPass(Level != OptimizationLevel::O0));
  });
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "ompchunk")
          return false;
        MPM.addPass(OmpChunkPass(true));
        return true;
      });
}

} // namespace

// Called by the exported function on the Rust side: a Rust cdylib's version script hides every
// symbol that C++ defines.
extern "C" PassPluginLibraryInfo oc_plugin_info(const char *Version, oc_run_t TheRun) {
  Run = TheRun;
  // Braces: LLVM 22 added a member that must be null.
  PassPluginLibraryInfo Info{};
  Info.APIVersion = LLVM_PLUGIN_API_VERSION;
  Info.PluginName = "ompchunk";
  Info.PluginVersion = Version;
  Info.RegisterPassBuilderCallbacks = registerCallbacks;
  return Info;
}
