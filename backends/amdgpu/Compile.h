// Tile IR to a code object for AMD GPUs. This is the whole interface of the backend: no driver, no
// process, and no file but the linker's temporary one.
#pragma once

#include "backends/common/DebugBuffer.h"
#include "backends/common/Parameter.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir {
class ModuleOp;
class DialectRegistry;
} // namespace mlir

namespace tilerun::amdgpu {

struct AmdgpuOptions {
  std::string arch = "gfx942"; ///< With features: "gfx942:sramecc+:xnack-".
  unsigned numWarps = 4;       ///< Waves of a program: a power of two up to 32.
  unsigned numStages = 3;
  /// Blocks that a program is to run on (ir/schedule/Blocks.h): 1, 2, 4 or 8. It runs on one, with
  /// a remark: the target has no clusters.
  unsigned numCtas = 1;
  /// Schedules by hand (ir/schedule/HandSchedule.h), and the name of their file in diagnostics.
  std::string schedule = {}, scheduleName = "schedule";
  /// Waves of a SIMD that registers must leave room for, 1 to 16; 0 leaves it to the compiler.
  unsigned wavesPerSimd = 0;
  /// Rows and columns of MFMA instructions, 16 or 32; 0 leaves it to the compiler. As Triton's
  /// matrix_instr_nonkdim, it says nothing about WMMA, which has 16.
  unsigned matrixSize = 0;
  /// Most instructions along k whose operands one access of shared memory brings: 1 or 2 as
  /// Triton's kpack; 0 for as many as fit the widest access.
  unsigned kPack = 0;
  /// Loads that run ahead are copied to shared memory without registers. Of gfx950 only; an error
  /// elsewhere.
  bool copiesAsync = false;
  /// Waves of a SIMD multiply in turns: "auto" (where that pays), "off" or "on".
  std::string turns = "auto";
  /// What a loop reads stays in the caches for a later loop that reads it again: "auto" (where it
  /// is the program's own), "off" or "on".
  std::string evictions = "auto";
  /// Loads beside products are made one iteration early, in registers: "auto" (vectors, where loads
  /// that run ahead are copied without registers), "off" or "on".
  std::string prefetch = "auto";
  /// Masked accesses as buffer instructions: "auto" (where offsets are known to be below 2 GiB),
  /// "off", or "on": the caller promises that what is accessed through a pointer lies in less than
  /// 2 GiB behind it.
  std::string buffers = "auto";
  /// Dies that get programs in turn, 8 on an MI300X: each gets neighbouring programs. 0 or 1:
  /// programs keep their order.
  unsigned xcds = 0;
  bool debug = false;     ///< Optimize less, so that lines stay exact. Assertions are always kept.
  bool lineInfo = true;   ///< Lines of the kernel's source in the code object (DWARF).
  bool locations = false; ///< The same in the text of a stage of MLIR.
  bool fpFusion = true;   ///< The kernel's products and sums may be fused (docs/math.md).
  unsigned optLevel = 3;  ///< Of LLVM.
};

/// What the launch passes after the kernel's own arguments, each at its natural alignment.
enum class HiddenArgument {
  NumProgramsX, ///< The grid's size along each axis, i32.
  NumProgramsY,
  NumProgramsZ,
  DebugBuffer ///< The address of a buffer for messages (backends/common/DebugBuffer.h), i64.
};

struct AmdgpuArtifact {
  std::string codeObject;   ///< ELF, code object version 5.
  std::string kernel;       ///< The entry's name; its descriptor is the symbol KERNEL.kd.
  std::string arch;         ///< "gfx942", with features if the options have them.
  uint64_t sharedBytes = 0; ///< Of a program. Part of the code object: none are given at launch.
  unsigned numThreads = 0;  ///< Of one program, along x.
  unsigned waveSize = 0;
  std::vector<backend::KernelParameter> parameters;
  std::vector<HiddenArgument> hidden;
  std::vector<backend::DebugSite> debugSites; ///< Prints and assertions.
};

/// The stage to stop after, for tools and tests. Remarks are those of all stages down to per-thread
/// IR, as text or JSON (ir/tile/Remarks.h). The timeline is that of pipelined loops
/// (ir/schedule/Timeline.h), shared memory what lies where in it (ir/simt/sync/SharedMap.h).
enum class Stage {
#define TILERUN_THREAD_STAGE(enumerator, word, summary) enumerator,
#include "backends/common/ThreadStages.def"
  LlvmDialect,
  Llvm,
  Amdgcn,        ///< Assembly.
  Resources,     ///< What the code object says that it needs (Resources.h), as text.
  ResourcesJson, ///< The same as data.
  Hsaco
};

/// Registers the dialects that compile() needs besides tile IR's own, and LLVM's translation.
void registerDialects(mlir::DialectRegistry &registry);

/// Compiles the one kernel of `module`, which is consumed: its IR is rewritten. Diagnostics go to
/// the module's context and are the error's text as well. Thread-safe for modules of different
/// contexts. The same input gives the same bytes.
llvm::Expected<AmdgpuArtifact> compile(mlir::ModuleOp module, const AmdgpuOptions &options);

/// The same from bytecode or text, in a context of its own. With a stage other than the last,
/// `codeObject` is the text after that stage.
llvm::Expected<AmdgpuArtifact> compile(llvm::StringRef bytecode, const AmdgpuOptions &options,
                                       Stage stage = Stage::Hsaco);

/// The text (or the bytes) after one stage.
llvm::Expected<std::string> compileTo(mlir::ModuleOp module, const AmdgpuOptions &options,
                                      Stage stage);

} // namespace tilerun::amdgpu
