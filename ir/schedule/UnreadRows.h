// Rows of a tile that nobody stores. Kernels let indices beyond the end of a tensor wrap around to
// its begin, so that loads need no mask: what they read there ends in rows of a product that the
// mask of a store leaves out.
#pragma once

#include "ir/schedule/MaskBounds.h"

namespace tilerun::schedule {

/// Along one dimension, the indices from `end` on, of a tile that begins at index `start`.
struct UnreadRows {
  AffineForms &forms;
  const Polynomial &start, &end;

  /// An op that may let elements of `value` with these indices along `dim` reach memory, control
  /// flow, an address, or elements with other indices. Null if there is none: their values do not
  /// matter.
  mlir::Operation *findReader(mlir::Value value, unsigned dim);

private:
  using Place = std::pair<mlir::Value, unsigned>;
  /// Adds where the elements go by `use`; false where it may be one of those that read them.
  bool follow(mlir::OpOperand &use, unsigned dim, llvm::SmallVectorImpl<Place> &work);
  bool isMasked(mlir::Value mask, unsigned dim);
};

} // namespace tilerun::schedule
