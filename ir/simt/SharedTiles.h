// Registers to and from shared memory: stores and reads of any layout, tiles that products read
// their fragments from, and padded tiles for opaque matrices.
#pragma once

#include "ir/distribute/AccessGroups.h"
#include "ir/layout/Conversion.h"
#include "ir/schedule/RingTile.h"
#include "ir/simt/Registers.h"

namespace tilerun::simt {

class LowerContext;

using distribute::areWords;
using distribute::forEachAccess;
using distribute::groupRegisters;
using distribute::RegisterGroups;
using distribute::wordsOf;

using schedule::kMatrixTileAlignment;

/// A tile in shared memory, possibly in one slot of a ring of buffers.
struct SharedTile {
  mlir::Value buffer, slot;    ///< slot: its byte offset.
  layout::LinearLayout memory; ///< offset -> tensor, in elements.
  unsigned inner;              ///< The dimension whose neighbours are neighbours in memory.
  mlir::Type element;
  int64_t pitch = 0; ///< Of a padded tile: bytes from one line to the next.
};

/// Stores registers in `layout`, or words of some of them, as `access` says, `slot` bytes further
/// (null: 0).
void storeShared(LowerContext &c, mlir::Value vector, const layout::LinearLayout &layout,
                 const layout::SharedAccess &access, mlir::Value buffer, mlir::Value slot = {},
                 bool ahead = false);

/// The registers of `wanted`, moved by the coordinates `origin`.
mlir::FailureOr<mlir::Value> readTile(LowerContext &c, const SharedTile &source,
                                      const layout::LinearLayout &wanted,
                                      llvm::ArrayRef<uint64_t> origin = {});
/// Stores `operand` to shared memory so that `reader` suits it.
mlir::FailureOr<SharedTile> storeForReader(LowerContext &c, mlir::Value operand,
                                           const layout::LinearLayout &reader);
/// The tile in shared memory that `operand` is, possibly transposed.
std::optional<SharedTile> findTile(const LowerContext &c, mlir::Value operand);
/// Of one slot.
int64_t bytesOf(const SharedTile &tile);

/// A padded tile, without a buffer yet; nullopt if registers in layout `writer` cannot be stored
/// to it.
std::optional<SharedTile> paddedTile(mlir::RankedTensorType type, unsigned inner,
                                     mlir::Type element, const layout::LinearLayout &writer);
void storePadded(LowerContext &c, mlir::Value vector, const layout::LinearLayout &layout,
                 const SharedTile &tile, bool ahead);

} // namespace tilerun::simt
