// `tilerun compile --target`: a plugin's compiler, without a device.
#pragma once

#include "runtime/plugin/Plugin.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Session.h"
#include "tools/tilerun/command/TargetResources.h"

namespace tilerun::command {

/// The plugin that compiles for a kind of targets ("cuda").
llvm::Expected<std::shared_ptr<const plugin::Plugin>> findCompiler(llvm::StringRef target);

/// A target that some plugin can compile to a phase; "" if there is none.
std::string findTargetThatEmits(llvm::StringRef phase);

/// Whether the target supports --schedule and --remarks.
llvm::Error checkPhases(const plugin::Plugin &plugin, const std::string &target,
                        const Options &options);

/// The signature of the command line, completed by the autotune config.
llvm::Expected<KernelSignature> makeSignature(Session &session);

struct InspectedCode {
  TargetCode code; ///< Without its text.
  ResourceReport report;
};
/// Compiles a kernel to code and looks at it.
llvm::Expected<InspectedCode>
inspectResources(const std::shared_ptr<const plugin::Plugin> &compiler, const std::string &target,
                 llvm::StringRef kernel, llvm::ArrayRef<uint8_t> bytecode,
                 CompileSettings &settings);

/// `tilerun compile --target`: `session` has loaded its file.
llvm::Expected<ExitCode> runCompileTargets(Session &session);

} // namespace tilerun::command
