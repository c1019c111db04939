// A module that is checked keeps what the kernel says of masked-off lanes: apart from the dialect,
// because only whoever asks for checks and the simplification that would drop it know of this.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilerun::tile {

/// A unit attribute of a module: the `other` of a load stays, even where it is the 0 that the load
/// would give without it, so that a check can tell one from none.
constexpr llvm::StringLiteral kKeepOtherAttr{"tile.keep_other"};

} // namespace tilerun::tile
