// C++ side of the `simt` dialect (declared in SimtDialect.td and SimtOps.td).
//
// Rules of this folder: everything here is per thread and knows of targets only what TargetInfo.h
// says; the lowering from tile IR builds accesses without barriers, then sync/Arena.h places
// buffers and sync/Barriers.h inserts the barriers that are needed.
#pragma once

#include "ir/layout/MatrixTile.h"
#include "ir/schedule/ScheduleDialect.h"
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

/// Bytes in memory of a scalar, or of one element of a vector (i1 takes one byte).
unsigned getScalarBytes(mlir::Type type);
} // namespace tilerun::simt

#define GET_OP_CLASSES
#include "ir/simt/SimtOps.h.inc"
