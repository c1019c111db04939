// The rounds of a conversion inside warps. Separate from Conversion.h because only the planner and
// its tests need it.
#ifndef TILERUN_IR_LAYOUT_SHUFFLE_H
#define TILERUN_IR_LAYOUT_SHUFFLE_H

#include "ir/layout/Conversion.h"

namespace tilerun::layout {

/// Rounds for the map `sources` from destination to source positions, both over register, lane,
/// warp and block, that changes no warp and no block. nullopt if that takes more than `maxShuffles`
/// shuffles, or more than 2^16 rounds.
std::optional<ShufflePlan> planShuffles(const LinearLayout &sources, unsigned elementBytes,
                                        uint64_t maxShuffles);

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_SHUFFLE_H
