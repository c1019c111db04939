// C++ side of the `simt` dialect (declared in SimtDialect.td and SimtOps.td).
//
// Rules of this folder: everything here is per thread and knows no target but what TargetInfo.h
// says; the lowering from tile IR (lower/) builds accesses without barriers, and the passes in
// SharedMemory.h place buffers and insert the barriers that are needed.
#pragma once

#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "ir/simt/SimtDialect.h.inc"
#include "ir/simt/sync/SharedUser.h"

#define GET_ATTRDEF_CLASSES
#include "ir/simt/SimtAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/simt/SimtTypes.h.inc"

namespace tilerun::simt {
/// The memory that the threads of one program share.
struct SharedMemory : public mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "simt.shared_memory"; }
};

/// `value` of 32 bits in a type that registers hold as such: the number of bytes of one element of
/// a vector or of a scalar in memory (i1 takes one byte).
unsigned getScalarBytes(mlir::Type type);
} // namespace tilerun::simt

#define GET_OP_CLASSES
#include "ir/simt/SimtOps.h.inc"
