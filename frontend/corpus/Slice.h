// Which parameters of a kernel have to do with an error in it: names are followed backwards from
// the place of the error, through assignments and calls, by syntax alone.
#pragma once

#include "frontend/module/Module.h"

#include "llvm/ADT/SmallVector.h"

namespace tilerun::corpus {

/// Where an error is: the ranges of the calls that lead to it, outermost first, then its own.
using ErrorPath = llvm::SmallVector<SourceRange, 4>;

ErrorPath getErrorPath(const Diagnostic &diagnostic);

/// Names of parameters that the place depends on, the nearest first, each once.
std::vector<llvm::StringRef> findInfluences(const JitFunction &function,
                                            llvm::ArrayRef<SourceRange> path);

/// The jit function that a call in `module` refers to; null if there is none, or it is unknown.
const JitFunction *findCallee(const LoadedModule &module, const ast::CallExpr &call);

/// Jit functions of other files that the function calls.
std::vector<const JitFunction *> findForeignCallees(const JitFunction &function);

} // namespace tilerun::corpus
