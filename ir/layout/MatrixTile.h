// Tiles of matrices in shared memory: swizzled lines that any access pattern of matrix instructions
// reads without bank conflicts, and the description of such a tile that instructions of a warp
// group (wgmma) take instead of addresses.
#ifndef TILERUN_IR_LAYOUT_MATRIXTILE_H
#define TILERUN_IR_LAYOUT_MATRIXTILE_H

#include "ir/layout/LinearLayout.h"

namespace tilerun::layout {

/// A tile whose dimension `inner` is contiguous, from offset (in elements) to (dim0, dim1).
///
/// Lines of at most 128 bytes along `inner` follow each other along the other dimension; the
/// remainder of `inner` comes last. The 16-byte chunks of a line are permuted by XOR with the
/// line's number in its group of 1024 bytes' 128-byte rows, so that a column of eight lines hits
/// every bank once. That is the 128-, 64- or 32-byte swizzle of NVIDIA's matrix descriptors and
/// tensor copies. Precondition: sizes are powers of two; inner takes at least 16 bytes for a
/// description.
LinearLayout swizzledTile(llvm::ArrayRef<int64_t> shape, unsigned inner, unsigned elementBytes);

/// The parameters of a tile, besides its start, for an instruction of warp groups. The strides are
/// in bytes and mean what the PTX ISA calls leading and stride dimension byte offset; which of them
/// counts what depends on the swizzle and on the order of the operand.
struct MatrixDescription {
  unsigned swizzleBytes = 0; ///< 128, 64, 32, or 0 for none.
  uint64_t leadingBytes = 0, strideBytes = 0;
  bool isKMajor = true; ///< The dimension that is summed over is the contiguous one.

  /// The 64-bit descriptor without its start address, which goes to the low 14 bits in units of 16.
  uint64_t encode() const;
  /// A tile's start must be a multiple of this, or the swizzle would begin elsewhere.
  unsigned alignment() const { return swizzleBytes ? swizzleBytes * 8 : 128; }
};

/// The description of swizzledTile(shape, inner, elementBytes) as an operand whose dimension
/// `summed` is summed over; nullopt if a line is shorter than 16 bytes, or than an instruction's
/// step (32 bytes) along `summed`, or a field cannot hold a stride.
std::optional<MatrixDescription> describeTile(llvm::ArrayRef<int64_t> shape, unsigned inner,
                                              unsigned elementBytes, unsigned summed);

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_MATRIXTILE_H
