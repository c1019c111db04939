// Places of slots and parts of boxes, for the handlers of schedules. Internal to this folder.
#pragma once

#include "ir/layout/MatrixTile.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// Where slot number `slot` of a ring begins in its buffer.
mlir::FailureOr<mlir::Value> placeOf(LowerContext &c, mlir::Value ring, mlir::Value slot);

/// The parts of a box that one instruction each moves: lines of at most 128 bytes, and 256 of them.
struct BoxParts {
  struct Place {
    int64_t along, line; ///< Of its first element in the tile.
    int64_t offset;      ///< Of it in memory, in bytes.
  };
  schedule::BoxAttr box; ///< Of any of them.
  llvm::SmallVector<Place> places;
};
/// Of the first `lines` lines of a tile.
BoxParts divideBox(schedule::BoxAttr tensor, const layout::MatrixTile &tile, int64_t lines);
/// Where a box begins, and one of its parts.
mlir::FailureOr<Values> getStarts(LowerContext &c, mlir::ValueRange starts);
Values moveStarts(LowerContext &c, Values starts, const BoxParts::Place &place);

/// Whether this is the thread that acts for its warp; of a role that moves boxes, for all of it.
mlir::Value actsForOthers(LowerContext &c, bool forRole);

} // namespace tilerun::simt
