// Products that are made one iteration late: beside the next iteration's first product, so that
// matrix units work while threads compute what comes between the two. The order is that of
// FlashAttention-3 (Shah et al., 2024, section 3.2); the rule knows nothing of attention.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/Boxes.h"

namespace tilerun::schedule {

/// A product whose sum nothing else in its iteration reads. An iteration
///
///   s = product; p = f(s); sum = dot(p, ring, scale(sum))
///
/// becomes, with `p` and `scale(sum)` carried to the next one,
///
///   s = product, and at the same time sum = dot(p', ring', sum'); p = f(s); scale(sum)
struct LateProduct {
  tile::DotOp dot;
  unsigned carried;                               ///< Which of the loop's values is its sum.
  llvm::SmallVector<mlir::Operation *> scaling{}; ///< What makes its accumulator of that, in order.
  /// Operands of `dot` that the iteration computes; the others are in rings.
  llvm::SmallVector<unsigned> computed{};
};

/// What is to be known of a product of the loop's body for it to be made late, as far as it does
/// not depend on the target; nullopt with a reason if it cannot.
std::optional<LateProduct> findLateProduct(tile::DotOp dot, mlir::scf::ForOp loop,
                                           Refusal &refusal);

/// The first product of the loop's body that is not late: late ones start behind it. Null if there
/// is none.
tile::DotOp findFirstProduct(mlir::scf::ForOp loop);

/// Warp groups that compute a product whose instruction is one of warp groups.
unsigned countGroups(tile::DotOp dot, const distribute::LayoutAssignment &layouts);

/// Whether products of the loop's body are late.
bool hasLateProducts(mlir::scf::ForOp loop);

/// Whether this load's slots are read by late products. One that others read, too, is refused with
/// the product.
bool isOfLateProduct(tile::LoadOp load);

} // namespace tilerun::schedule
