// Which products of a loop whose loads are copies of boxes are made one iteration late.
#pragma once

#include "ir/schedule/Stages.h"

namespace tilerun::schedule {

/// Gives `sched.stage` to products that can be made in the next iteration (LateProducts.h), if
/// `late` wants them to be: with Choice::Auto, where registers suffice. Remarks say why others are
/// not. Precondition: the loop has its pipeline, with copies of boxes.
void markLateProducts(mlir::scf::ForOp loop, const distribute::LayoutAssignment &layouts,
                      Choice late);

/// Lets warp groups take turns to start the loop's first product and the late ones beside it; why
/// not, if they cannot. Their order is that of FlashAttention-3 (Shah et al., 2024, section 3.1).
std::optional<std::string> setTurnsOfGroups(mlir::scf::ForOp loop,
                                            const distribute::LayoutAssignment &layouts);

/// Remarks of the loop's late products.
void explainLateProducts(mlir::scf::ForOp loop);

} // namespace tilerun::schedule
