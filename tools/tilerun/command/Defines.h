// Values of globals that only host code knows: given by `--define NAME=VALUE`, or asked of Python
// by
// `--define-from python`.
#pragma once

#include "tools/tilerun/command/Session.h"

namespace tilerun::command {

/// By the names of globals, `Cfg.FAST` for constants of classes.
using Defines = std::map<std::string, ConstantArgument>;

/// The values that `--define` gives.
llvm::Expected<Defines> readDefines(const Options &options);

/// The constants of a file's module and of those that it imports from the same folders, as the
/// interpreter of `--define-from` computes them; names that mean different values in several
/// modules are left out. An error if the program is not found, or the file cannot be imported.
llvm::Expected<Defines> askPython(const Options &options, llvm::StringRef path);

/// Adds the values of those globals that the session's kernel does not know to a signature. What
/// `--define` gives must be such a global; a name in `signature` comes before.
llvm::Error addDefines(Session &session, KernelSignature &signature);

} // namespace tilerun::command
