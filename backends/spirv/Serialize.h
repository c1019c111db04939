// From the `spirv` dialect to words: entry point, execution modes, lines, and MLIR's serializer.
#pragma once

#include "backends/spirv/Patterns.h"

namespace tilerun::spirvbackend {

/// Of a module whose kernel has fast quotients of float32 (Math.cpp).
inline constexpr llvm::StringLiteral kFastQuotients("tilerun.fast_quotients");

/// Completes the module of a converted kernel: entry point with its interface, execution modes,
/// memory accesses as its memory model requires.
void finishModule(KernelContext &kernel);

/// The module's words before Fixups.
mlir::FailureOr<llvm::SmallVector<uint32_t, 0>> serializeModule(mlir::spirv::ModuleOp module,
                                                                bool lineInfo);

} // namespace tilerun::spirvbackend
