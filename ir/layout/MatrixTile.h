// Tiles of matrices in shared memory: swizzled lines that any access pattern of matrix instructions
// reads without bank conflicts, and where in such a tile an element lies.
#ifndef TILERUN_IR_LAYOUT_MATRIXTILE_H
#define TILERUN_IR_LAYOUT_MATRIXTILE_H

#include "ir/layout/LinearLayout.h"

#include <array>

namespace tilerun::layout {

/// A tile whose dimension `inner` is contiguous, from offset (in elements) to (dim0, dim1).
///
/// Lines of at most 128 bytes along `inner` follow each other along the other dimension; the
/// remainder of `inner` comes last. The 16-byte chunks of a line are permuted by XOR with the
/// line's number in its group of 1024 bytes' 128-byte rows, so that a column of eight lines hits
/// every bank once. Precondition: sizes are powers of two.
LinearLayout swizzledTile(llvm::ArrayRef<int64_t> shape, unsigned inner, unsigned elementBytes);

/// The same for tiles that threads fill across their lines. In rows of 128 bytes, which are one
/// line or several, all chunks are permuted, by each bit of the row's number in turn: stores to
/// lines that are 2, 4, 8 or more apart hit different banks, too, and so do reads whose phases are
/// not of consecutive lanes, as on gfx9, or across lines, as those of multiply-adds.
LinearLayout crossedTile(llvm::ArrayRef<int64_t> shape, unsigned inner, unsigned elementBytes);

/// The same for shared memory of 64 banks, and for reads that are transposed
/// (simt.load_transposed). Of those 32 lanes do 8 bytes each at once: of 16-bit elements 32 bytes
/// of eight lines, or 64 bytes of four, whose numbers differ in bits 0, 1 and one of 2 and 3; of
/// 8-bit elements 16 bytes of sixteen lines, or 32 bytes of eight, whose numbers differ in bits 0,
/// 1, one of 2 and 3, and one of 4 and 5. They meet each of 64 banks of 4 bytes once; in lines of
/// 32 bytes perhaps half of them twice. So do 16 lanes that read 16 bytes of a line each, as gfx950
/// takes them: those whose numbers have the same parity of bits 2 to 4 and the same bit 5. Elements
/// of 4 bytes are also stored across lines over 32 banks, and read across lines one by one: see the
/// definition.
LinearLayout turnedTile(llvm::ArrayRef<int64_t> shape, unsigned inner, unsigned elementBytes);

/// Whether lanes get their registers from a tile that is contiguous along `inner` by reads of 8
/// bytes that 16 lanes transpose (simt.load_transposed): `reader`, from register, lane and warp to
/// (dim0, dim1), gives neighbours along `inner` to neighbouring lanes.
bool isReadTransposed(const LinearLayout &reader, unsigned inner, unsigned elementBytes);

/// Such a tile as instructions of warp groups read it: as addresses, in two steps. All sizes are in
/// bytes unless they say otherwise.
struct MatrixTile {
  std::array<int64_t, 2> shape; ///< In elements; powers of two.
  unsigned inner;               ///< The contiguous dimension: 0 or 1.
  unsigned elementBytes;        ///< A power of two.

  static constexpr unsigned kMostLineBytes = 128, kChunkBytes = 16, kGroupLines = 8;

  uint64_t lineBytes() const;
  uint64_t lines() const { return uint64_t(shape[1 - inner]); }
  /// The bytes in which chunks are permuted: 128, 64 or 32; 0 where a line is one chunk or less.
  unsigned swizzleBytes() const;
  /// Where a tile may start, for the permutation to begin there.
  unsigned alignment() const { return swizzleBytes() ? swizzleBytes() * kGroupLines : 128; }
  /// Where an element would lie without the permutation.
  uint64_t plainByte(uint64_t row, uint64_t column) const;
  /// Where a byte of a tile that starts at a multiple of `alignment` lies. It permutes places in
  /// memory: a start that was moved inside the tile is added before.
  uint64_t permute(uint64_t byte) const;
  /// Whether an instruction that sums over the dimension `summed`, in steps of `k` elements, can
  /// read it: lines are whole chunks, eight or more, and a step along a line stays in it.
  bool isOperand(unsigned summed, unsigned k) const;
  /// Whether a block of an instruction may start at this element: at a chunk of a line whose number
  /// is a multiple of eight.
  bool canStartAt(uint64_t row, uint64_t column) const;
};

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_MATRIXTILE_H
