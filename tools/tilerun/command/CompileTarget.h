// `tilerun compile --target`: a plugin's compiler, without a device.
#pragma once

#include "runtime/plugin/Plugin.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Session.h"
#include "tools/tilerun/toolkit/Occupancy.h"
#include "tools/tilerun/toolkit/Toolkit.h"

namespace tilerun::command {

/// A plugin's output for one target.
struct TargetCode {
  std::string target;
  std::string code; ///< The phase that --emit names.
  std::string kernel;
  unsigned threads = 0;            ///< Of one program.
  uint64_t dynamicSharedBytes = 0; ///< Of one program.
};

/// Registers, shared memory, spills and occupancy of one target's code, as far as they are known.
struct ResourceReport {
  /// "ptxas release 13.0, V13.0.88", "device cuda:0", "code object"; empty: nothing is known.
  std::string source;
  std::string missing;      ///< Why nothing is known.
  bool isAssembled = false; ///< By the toolkit, from PTX.
  toolkit::KernelResources resources;
  bool spillsKnown = false; ///< A driver reports local memory only.
  std::optional<toolkit::Occupancy> occupancy;
  /// From the compiler's phase "resources-json", which has read the code: all that is known.
  std::optional<llvm::json::Object> ofCode;
};

/// The plugin that compiles for a kind of targets ("cuda").
llvm::Expected<std::shared_ptr<const plugin::Plugin>> findCompiler(llvm::StringRef target);

/// A target that some plugin can compile to a phase; "" if there is none.
std::string findTargetThatEmits(llvm::StringRef phase);

/// Whether the target supports --schedule and --remarks.
llvm::Error checkPhases(const plugin::Plugin &plugin, const std::string &target,
                        const Options &options);

/// The signature of the command line, completed by the autotune config.
llvm::Expected<KernelSignature> makeSignature(Session &session);

/// Registers, shared memory and occupancy of a kernel's code, or why they are not known, as text.
llvm::Expected<std::string> describeResources(const std::shared_ptr<const plugin::Plugin> &compiler,
                                              const std::string &target, llvm::StringRef kernel,
                                              llvm::ArrayRef<uint8_t> bytecode,
                                              CompileSettings &settings);

/// `tilerun compile --target`: `session` has loaded its file.
llvm::Expected<ExitCode> runCompileTargets(Session &session);

} // namespace tilerun::command
