// A relocatable object becomes a code object, by lld as a library: nothing is spawned.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tilerun::amdgpu {

/// The shared object that AMD's loaders take; an error is lld's own text, or says which file could
/// not be written. The same object gives the same bytes.
///
/// Thread-safe: lld has global state, so links run one after the other (about half a millisecond
/// each). What a link touches outside of it:
/// - LLVM's command-line options keep their values, and no target is registered but AMDGPU's
///   (Link.cpp says how).
/// - A fatal error inside lld, or a crash, is an error here and does not end the process; every
///   later link of the process is then refused. While a link runs, LLVM's handlers of SIGSEGV,
///   SIGABRT, SIGBUS, SIGFPE, SIGILL and SIGTRAP are installed; a signal of another thread reaches
///   the handlers that were there before.
/// - The object is read from memory; lld writes a temporary file (TMPDIR), which is removed before
///   the function returns.
llvm::Expected<std::string> linkCodeObject(llvm::StringRef object);

} // namespace tilerun::amdgpu
