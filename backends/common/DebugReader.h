// Reads what kernels write to debug buffers (DebugBuffer.h), on the host. Needs no MLIR: plugins
// without a compiler use it, too.
#pragma once

#include "backends/common/DebugBuffer.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilerun::backend {

/// The contents of a buffer.
struct DebugReport {
  std::string printed; ///< Lines for stdout.
  std::string failure; ///< The assertion that failed first; empty if none did.
};

/// Reads a buffer, whatever its contents: they are not trusted, because the kernel may be faulty.
DebugReport readDebugBuffer(llvm::ArrayRef<DebugSite> sites, llvm::ArrayRef<uint32_t> words,
                            llvm::StringRef kernel);

} // namespace tilerun::backend
