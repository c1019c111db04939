// The 64-bit matrix descriptors by which wgmma finds an operand in shared memory. Source: PTX ISA,
// "asynchronous warpgroup level matrix shared memory layout".
#pragma once

#include "ir/layout/MatrixTile.h"

#include <optional>

namespace tilerun::nvptx {

/// A descriptor without its start. The strides are in bytes and mean what the PTX ISA calls leading
/// and stride dimension byte offset; which of them counts what depends on the swizzle and on the
/// order of the operand.
struct MatrixDescriptor {
  unsigned swizzleBytes = 0; ///< 128, 64, 32, or 0 for none.
  uint64_t leadingBytes = 0, strideBytes = 0;

  /// The descriptor's bits for a block that starts `start` bytes, a multiple of 16, into the tile.
  /// The address of the tile itself, in units of 16 bytes, is added.
  uint64_t encode(uint64_t start) const;
};

/// The descriptor of a tile as an operand whose dimension `summed` is summed over; nullopt if a
/// field cannot hold a stride. Precondition: isOperand(summed, k) for a step of 32 bytes.
std::optional<MatrixDescriptor> describe(const layout::MatrixTile &tile, unsigned summed);

} // namespace tilerun::nvptx
