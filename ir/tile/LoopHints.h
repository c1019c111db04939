// Attributes of loops that are hints of the source (`tl.range`), and the mark of loops that are in
// no source.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilerun::tile {
/// Prefix of all of them.
constexpr llvm::StringLiteral kHintPrefix{"tile."};
/// Slots of the loop's rings.
constexpr llvm::StringLiteral kNumStagesHint{"tile.num_stages"};
/// All hints: integers of 64 bits.
constexpr llvm::StringLiteral kLoopHints[] = {
    kNumStagesHint,         "tile.loop_unroll_factor",        "tile.flatten",
    "tile.warp_specialize", "tile.disallow_acc_multi_buffer", "tile.disable_licm"};
/// Unit: tile-split made the loop, so nobody can name it.
constexpr llvm::StringLiteral kSplitLoop{"tile.split"};
} // namespace tilerun::tile
