// Layouts of tensors over threads: outputs named dim0, dim1, ... in this order, inputs among
// register, lane, warp and block. The effects of the language's shape operations on such layouts,
// and the constructor of coalesced layouts. All of these are free at run time.
#ifndef TILERUN_IR_LAYOUT_TENSORLAYOUT_H
#define TILERUN_IR_LAYOUT_TENSORLAYOUT_H

#include "ir/layout/LinearLayout.h"

namespace tilerun::layout {

/// The output dimensions dim0, dim1, ... of a tensor's shape; an error if a size is not a power of
/// two or the whole exceeds the limits of LinearLayout.
llvm::Expected<DimList> tensorDims(llvm::ArrayRef<int64_t> shape);

/// How a tile of a tensor is spread over threads. Each list has one power of two per dimension.
struct BlockedTile {
  llvm::SmallVector<unsigned, 4> elementsPerThread, threadsPerWarp, warps;
  /// The dimensions from the fastest (contiguous in memory) to the slowest.
  llvm::SmallVector<unsigned, 4> order;
};

/// A blocked layout: in each dimension the elements of a thread are next to each other, then come
/// the lanes of a warp, then the warps; register, lane and warp numbers run along `order`. A larger
/// tensor repeats the tile in more registers, along `order`; a smaller one replicates over the
/// lanes and warps that are left over, and never over registers.
llvm::Expected<LinearLayout> blockedLayout(llvm::ArrayRef<int64_t> shape, const BlockedTile &tile);

/// A coalesced blocked layout: each thread holds `elementsPerThread` contiguous elements along
/// order[0], lanes and then warps fill the dimensions in `order`. All counts are powers of two.
llvm::Expected<LinearLayout> coalescedLayout(llvm::ArrayRef<int64_t> shape,
                                             unsigned elementsPerThread, unsigned threadsPerWarp,
                                             unsigned warps, llvm::ArrayRef<unsigned> order);

/// The layout for a tensor of another shape (same rank, bits per dimension): dimensions that are
/// too large are cut (the excess replicates), dimensions that are too small continue in new
/// registers, along `order`. With a size of 1 this is the operand's layout of a broadcast.
LinearLayout fitToShape(const LinearLayout &layout, llvm::ArrayRef<unsigned> shapeBits,
                        llvm::ArrayRef<unsigned> order);

/// Without the register bits that repeat other registers of the same thread.
LinearLayout dropRedundantRegisters(const LinearLayout &layout);

/// The layout of a reduction's result: dimension `axis` is gone, later dimensions move down, and
/// the bits that moved along it replicate. Redundant registers stay; see dropRedundantRegisters.
LinearLayout sliceDim(const LinearLayout &layout, unsigned axis);
/// A new dimension of size 1 at `axis`; later dimensions move up. sliceDim undoes it.
LinearLayout expandDim(const LinearLayout &layout, unsigned axis);
/// Dimension `axis`, of size 1 before, has size 2^bits: every thread that holds an element holds
/// all of its copies, in new registers. Precondition: the size is 1.
LinearLayout broadcastDim(const LinearLayout &layout, unsigned axis, unsigned bits);
/// Dimension i of the result is dimension permutation[i] of the operand.
LinearLayout transposeDims(const LinearLayout &layout, llvm::ArrayRef<unsigned> permutation);
/// The same elements in row-major order cut into another shape, sizes in bits. Precondition: the
/// same number of elements.
LinearLayout reshapeDims(const LinearLayout &layout, llvm::ArrayRef<unsigned> shapeBits);
/// The layout of two equal tensors side by side along a new last dimension of size 2: the lowest
/// register bit chooses the operand. sliceDim and dropRedundantRegisters undo it.
LinearLayout joinLayout(const LinearLayout &layout);

/// The names of all outputs for row-major flattening: the last dimension first.
llvm::SmallVector<llvm::StringRef, 4> rowMajorNames(const LinearLayout &layout);

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_TENSORLAYOUT_H
