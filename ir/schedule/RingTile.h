// Tiles in shared memory that products read: how one lies there, and which form suits a product.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/layout/MatrixTile.h"
#include "ir/schedule/ScheduleDialect.h"

namespace tilerun::schedule {

/// Between lines of a padded tile. An opaque instruction wants 16 bytes of each of eight lines in a
/// row: these are then in different banks, whatever the line's length.
inline constexpr int64_t kPaddingBytes = 16;

/// From offset, in elements, to the tile's coordinates; of a padded tile without its padding.
layout::LinearLayout memoryOf(mlir::RankedTensorType type, RingAttr ring);
/// Bytes of one slot.
int64_t slotBytesOf(mlir::RankedTensorType type, RingAttr ring);

/// Where tiles that warp groups read may start in shared memory: at the beginning of a swizzle.
inline constexpr int64_t kMatrixTileAlignment =
    layout::MatrixTile::kMostLineBytes * layout::MatrixTile::kGroupLines;
/// Whether rings start there: something of the target reads or fills swizzled tiles by itself.
inline bool alignsTiles(const target::TargetInfo &target) {
  return !target.warpGroupInstructions.empty() || target.hasBoxCopies;
}
/// What a buffer of so many bytes takes of the target's shared memory: buffers that others lie
/// above end where the next one may start.
int64_t alignedBytes(int64_t bytes, const target::TargetInfo &target);

/// Bytes of a ring's buffer, and of a channel's: between roles two phase barriers for each slot,
/// else none.
int64_t sharedBytesOf(RingType ring);
int64_t sharedBytesOf(ChannelType channel);
/// Bytes of a phase barrier.
inline constexpr int64_t kPhaseBytes = 8;

/// The form of a swizzled tile, which any product but one by opaque instructions reads.
RingAttr swizzledForm(mlir::MLIRContext *context, unsigned inner);
/// The form of a tile that its writer's registers cross; see layout::crossedTile.
RingAttr crossedForm(mlir::MLIRContext *context, unsigned inner);
/// The form of a tile that is transposed as it is read; see layout::turnedTile.
RingAttr turnedForm(mlir::MLIRContext *context, unsigned inner);
/// The form of a padded tile, which opaque instructions read.
RingAttr paddedForm(mlir::RankedTensorType type, unsigned inner);
/// Why no box can be moved to or from a swizzled tile with lines along `inner`, as the end of a
/// sentence about its access; empty if one can.
std::string findBoxFault(mlir::RankedTensorType tile, unsigned inner);
/// Whether registers in layout `writer` can be stored to a padded tile: coordinates meet in no bit,
/// so that a sum of images is the image of a sum.
bool canStorePadded(const layout::LinearLayout &writer);

/// The type of an opaque instruction's elements in memory; null if such an instruction cannot be
/// opaque.
mlir::Type opaqueElement(target::MatrixElement element, mlir::MLIRContext *context);
/// Whether the product is by opaque instructions.
bool isOpaque(tile::DotOp dot, const distribute::LayoutAssignment &layouts);
/// Whether it then reads this operand (0 or 1) as it is from a padded tile.
bool readsPadded(tile::DotOp dot, unsigned operand, const distribute::LayoutAssignment &layouts);

/// Whether the registers of `operand` are those of `wanted`, or a choice of them.
bool isInFragments(mlir::Value operand, const layout::LinearLayout &wanted,
                   const distribute::LayoutAssignment &layouts);

/// The least that an asynchronous copy moves.
inline constexpr int64_t kLeastCopyBytes = 4;
/// The most.
inline constexpr unsigned kMostCopyBytes = 16;
/// Bytes of each access of a thread that the asynchronous copy or load `op` makes.
int64_t accessBytes(mlir::Operation *op, mlir::Type element,
                    const distribute::LayoutAssignment &layouts, unsigned maxBytes);
/// Whether each asynchronous copy of a thread that `op` makes from `tile` fills neighbouring places
/// of a slot, in the order of memory.
bool fillsNeighbours(mlir::Operation *op, mlir::RankedTensorType tile, RingAttr ring,
                     const distribute::LayoutAssignment &layouts);
/// Whether the lanes of a warp fill neighbouring places of a slot, in order, if `op` copies `tile`
/// there: 4 or 16 bytes each. See TargetInfo::copiesFollowLanes.
bool followsLanes(mlir::Operation *op, mlir::RankedTensorType tile, RingAttr ring,
                  const distribute::LayoutAssignment &layouts);

/// How many neighbouring elements of `load` stay together in one 32-bit register on their way to a
/// slot: as many as there are in memory, if they go to shared memory in the same words, or in none.
unsigned elementsPerWord(tile::LoadOp load, RingAttr ring,
                         const distribute::LayoutAssignment &layouts);

} // namespace tilerun::schedule
