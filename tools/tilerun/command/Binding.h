// From the command line's NAME=VALUE texts to a kernel's signature and the arguments of its launch.
#pragma once

#include "runtime/core/Device.h"
#include "tools/tilerun/command/Session.h"

namespace tilerun::command {

/// A kernel's arguments, bound.
struct Binding {
  KernelSignature signature;
  std::map<std::string, host::Value> values; ///< By parameter; those with defaults may be missing.
  std::array<uint64_t, 3> grid{1, 1, 1};
  std::vector<std::string>
      notes; ///< The origin of a value, if not an argument: "BLOCK=64 (autotune config 0)".
};

/// Evaluates arguments in order, then autotune config, heuristics and defaults; checks that nothing
/// is missing. Every name is defined in the session's evaluator afterwards.
llvm::Expected<Binding> bindArguments(Session &session);

/// Evaluates `--grid` against the device's limits.
llvm::Error bindGrid(Session &session, Binding &binding, const core::Device &device);

/// Arguments that are not parameters must have been used by some expression; call it last.
llvm::Error checkSurplus(Session &session);

/// Tensors of two parameters may not share bytes.
llvm::Error checkOverlap(const Binding &binding);

/// Splits `NAME=REST`; the error names the option.
llvm::Expected<std::pair<std::string, std::string>> splitAssignment(llvm::StringRef text,
                                                                    llvm::StringRef what);

} // namespace tilerun::command
