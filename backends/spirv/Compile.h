// Tile IR to SPIR-V for Vulkan. This is the whole interface of the backend: no driver, no file, no
// process.
#pragma once

#include "backends/common/DebugBuffer.h"
#include "backends/common/Parameter.h"
#include "backends/spirv/Target.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir {
class ModuleOp;
class DialectRegistry;
} // namespace mlir

namespace tilerun::spirvbackend {

struct SpirvOptions {
  Target target;
  unsigned numWarps = 4; ///< Subgroups of a program: a power of two up to 32.
  unsigned numStages = 3;
  /// Blocks that a program is to run on (ir/schedule/Blocks.h): 1, 2, 4 or 8. It runs on one, with
  /// a remark: the target has no clusters.
  unsigned numCtas = 1;
  /// Schedules by hand (ir/schedule/HandSchedule.h), and the name of their file in diagnostics.
  std::string schedule = {}, scheduleName = "schedule";
  bool debug = false;
  bool lineInfo = true;   ///< Lines of the kernel's source in the module (OpLine).
  bool locations = false; ///< The same in the text of a stage of MLIR.
  bool fpFusion = true;   ///< The kernel's products and sums are fused (docs/math.md).
};

struct SpirvParameter : backend::KernelParameter {
  unsigned offset = 0; ///< In the packed arguments, bytes.
};

struct SpirvArtifact {
  std::vector<uint32_t> words; ///< The module.
  std::string kernel;          ///< The entry point's name.
  std::string target;          ///< As printTarget says.
  uint64_t sharedBytes = 0;    ///< Of one program; part of the module.
  unsigned numThreads = 0;     ///< Of one program, along x.
  unsigned subgroupSize = 0;
  bool requiresSubgroupSize = false; ///< The pipeline must ask for it, and for full subgroups.
  std::vector<SpirvParameter> parameters;
  unsigned argumentBytes = 0;     ///< Of the packed arguments.
  bool argumentsInMemory = false; ///< In a block whose address is pushed (Interface.h).
  unsigned pushBytes = 0;         ///< The size of the push constants.
  std::vector<backend::DebugSite>
      debugSites; ///< Prints and assertions; none: no debug buffer is needed.
};

/// The stage to stop after, for tools and tests. Remarks are those of all stages down to per-thread
/// IR, as text or JSON (ir/tile/Remarks.h). The timeline is that of pipelined loops
/// (ir/schedule/Timeline.h), shared memory what lies where in it (ir/simt/sync/SharedMap.h).
enum class Stage {
#define TILERUN_THREAD_STAGE(enumerator, word, summary) enumerator,
#include "backends/common/ThreadStages.def"
  SpirvDialect,
  Spirv,
  SpirvAsm
};

/// Registers the dialects that compile() needs besides tile IR's own.
void registerDialects(mlir::DialectRegistry &registry);

/// Compiles the one kernel of `module`, which is consumed: its IR is rewritten. Diagnostics go to
/// the module's context and are the error's text as well. Thread-safe for modules of different
/// contexts. The same input gives the same words.
llvm::Expected<SpirvArtifact> compile(mlir::ModuleOp module, const SpirvOptions &options);

/// The same from bytecode or text, in a context of its own. For a text stage, `text` receives it.
llvm::Expected<SpirvArtifact> compile(llvm::StringRef bytecode, const SpirvOptions &options,
                                      Stage stage = Stage::Spirv, std::string *text = nullptr);

/// The output of one stage: text, or the module's bytes.
llvm::Expected<std::string> compileTo(mlir::ModuleOp module, const SpirvOptions &options,
                                      Stage stage);

/// A module's assembly.
llvm::Expected<std::string> disassemble(llvm::ArrayRef<uint32_t> words);

/// The objections of SPIRV-Tools' validator for Vulkan 1.3 to a module; empty if none.
std::string validate(llvm::ArrayRef<uint32_t> words);

} // namespace tilerun::spirvbackend
