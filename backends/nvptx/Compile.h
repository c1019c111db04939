// Tile IR to PTX. This is the whole interface of the backend: no driver, no file, no process.
#pragma once

#include "backends/common/Parameter.h"
#include "ir/distribute/AcrossK.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir {
class ModuleOp;
class DialectRegistry;
} // namespace mlir

namespace tilerun::nvptx {

struct NvptxOptions {
  std::string arch = "sm_80";
  unsigned ptxVersion = 0; ///< Times ten; 0 takes the lowest that will do.
  unsigned numWarps = 4;   ///< A power of two up to 32.
  unsigned numStages = 3;
  /// Schedules by hand (ir/schedule/HandSchedule.h), and the name of their file in diagnostics.
  std::string schedule = {}, scheduleName = "schedule";
  /// Loads that are copies of boxes (ir/schedule/Stages.h): "auto", "off" or "on".
  std::string boxes = "auto";
  /// Products that are made one iteration late, where loads are such copies: the same words.
  std::string late = "auto";
  std::string turns = "auto"; ///< Warp groups start products in turns: the same words.
  /// Launched programs run several of the caller's (ir/schedule/Persistence.h): the same words.
  std::string persistent = "auto";
  /// Values computed again behind reductions (ir/schedule/Rematerialize.h): the same words.
  std::string rematerialize = "auto";
  /// Reads that stay in the caches (ir/schedule/Evictions.h): the same words.
  std::string evictions = "auto";
  /// Tiles that stay in shared memory (ir/schedule/Retain.h): the same words. Whoever does without
  /// boxes wants code for any arguments, and gets none of this by itself either.
  std::string retain = "auto";
  /// Loads made one iteration early, in registers (ir/schedule/Prefetch.h): the same words.
  std::string prefetch = "auto";
  /// Whether programs are so few that their numbers times a block's size do not overflow
  /// (AxisAssumption::FewPrograms): "auto", where launches of more take other code, "off", or "on",
  /// which is a promise of the caller's.
  std::string fewPrograms = "auto";
  /// Boxes copied once for all blocks of a program (ir/schedule/Multicast.h): the same words.
  std::string multicast = "auto";
  /// Results copied to global memory while a program goes on (ir/schedule/AsyncStores.h): the same
  /// words.
  std::string asyncStores = "auto";
  unsigned maxRegisters = 0; ///< Of a thread, 24 to 255; 0 leaves it to the assembler.
  bool debug = false;     ///< Optimize less, so that lines stay exact. Assertions are always kept.
  bool lineInfo = true;   ///< Lines of the kernel's source in the PTX.
  bool locations = false; ///< The same in the text of a stage of MLIR.
  bool fpFusion = true;   ///< The kernel's products and sums may be fused (docs/math.md).
  unsigned optLevel = 3;  ///< Of LLVM.
  /// How often a thread looks for the end of a phase before it traps, so that a wait that never
  /// ends is an error of the launch. 0: any number.
  unsigned boundedWaits = 0;
  distribute::AcrossK acrossK = distribute::AcrossK::Auto;
  /// Blocks that a program runs on where it can be divided (ir/schedule/Blocks.h): 1, 2, 4 or 8.
  unsigned numCtas = 1;
};

using NvptxParameter = backend::KernelParameter;

struct NvptxArtifact {
  std::string ptx;
  std::string kernel; ///< The entry's name.
  std::string arch;
  uint64_t sharedBytes = 0; ///< Dynamic shared memory to launch with.
  unsigned numThreads = 0;  ///< Threads of one block of a program, along x.
  std::vector<NvptxParameter> parameters;
  /// The caller's grid if it is persistent, and tensor maps, which follow the parameters.
  std::vector<backend::DerivedParameter> derived;
  /// Blocks of a program: a cluster along x.
  unsigned blocks = 1;
  /// If not 0, as many programs are launched as run at a time: this many on each multiprocessor.
  unsigned programsPerUnit = 0;
};

/// The stage to stop after, for tools and tests. Remarks are those of all stages down to per-thread
/// IR, as text or JSON (ir/tile/Remarks.h). The timeline is that of pipelined loops
/// (ir/schedule/Timeline.h), shared memory what lies where in it (ir/simt/sync/SharedMap.h).
enum class Stage {
#define TILERUN_THREAD_STAGE(enumerator, word, summary) enumerator,
#include "backends/common/ThreadStages.def"
  LlvmDialect,
  Llvm,
  Ptx
};

/// Registers the dialects that compile() needs besides tile IR's own, and LLVM's translation.
void registerDialects(mlir::DialectRegistry &registry);

/// Compiles the one kernel of `module`, which is consumed: its IR is rewritten. Diagnostics go to
/// the module's context and are the error's text as well. Thread-safe for modules of different
/// contexts. The same input gives the same bytes.
llvm::Expected<NvptxArtifact> compile(mlir::ModuleOp module, const NvptxOptions &options);

/// The same from bytecode or text, in a context of its own. With a stage other than the last, `ptx`
/// is the text after that stage.
llvm::Expected<NvptxArtifact> compile(llvm::StringRef bytecode, const NvptxOptions &options,
                                      Stage stage = Stage::Ptx);

/// The text after one stage.
llvm::Expected<std::string> compileTo(mlir::ModuleOp module, const NvptxOptions &options,
                                      Stage stage);

} // namespace tilerun::nvptx
