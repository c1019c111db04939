// A module as bytes, for crossing a boundary: writing, and reading untrusted bytes.
//
// MLIR's reader of bytecode trusts its input: one flipped bit can crash it. So bytecode is written
// with a checksum of itself (in the place of the producer's name), and only bytecode whose checksum
// is right is read. Text needs none, because its parser validates its input; only its nesting is
// bounded here, as the parser recurs.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace tilerun::tile {

/// Bytecode with a checksum. The same module gives the same bytes.
std::vector<uint8_t> writeModule(mlir::ModuleOp module);

/// Reads and verifies bytecode of `writeModule`, or text. Null after an error, which goes to the
/// context's handlers. Needs no alignment, and keeps no pointer into `bytes`.
mlir::OwningOpRef<mlir::ModuleOp> readModule(llvm::StringRef bytes, mlir::MLIRContext *context);

/// Brackets in each other that text may have.
constexpr unsigned kMaxTextDepth = 256;

} // namespace tilerun::tile
