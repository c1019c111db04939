// Fragments whose rows come from a tile that lies across them: since the rows of a product may be
// computed in any order, the order is chosen for the reads.
#pragma once

#include "ir/layout/LinearLayout.h"
#include "ir/layout/SharedMemory.h"

namespace tilerun::distribute {

/// An order of rows: bit i of a row's number in the fragments is bit `places[i]` of its number in
/// the tensor.
struct RowOrder {
  llvm::SmallVector<unsigned, 8> places;
  layout::SharedAccess read; ///< Of the fragments in this order.
};

/// The order in which threads read `fragments` (register, lane, warp -> tensor; each bit of a row
/// is one bit of the inputs) from `memory` (offset -> tensor, contiguous along the dimension
/// `rows`) with the fewest wavefronts: registers hold neighbours, and the lanes of a phase are in
/// different banks.
RowOrder chooseRowOrder(const layout::LinearLayout &fragments, unsigned rows,
                        const layout::LinearLayout &memory, unsigned elementBytes,
                        const layout::SharedMemoryModel &model);

/// The same for elements of one byte, which matrix loads bring and bytes are transposed after
/// (ir/layout/ByteMatrices.h): there is one such order. Precondition: a warp has 16 rows of each
/// fragment, two of them in a thread.
RowOrder byteRowOrder(const layout::LinearLayout &fragments, unsigned rows,
                      const layout::LinearLayout &memory, const layout::SharedMemoryModel &model);

/// `layout` with its dimension `rows` in that order.
layout::LinearLayout reorderRows(const layout::LinearLayout &layout, unsigned rows,
                                 llvm::ArrayRef<unsigned> places);

} // namespace tilerun::distribute
