// A checked module keeps the kernel's `other` for masked-off lanes. Separate from the dialect,
// because only the checks and the simplification that would drop it use this.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilerun::tile {

/// A unit attribute of a module: the `other` of a load is kept, even if it is the default 0, so
/// that a check can tell whether there is one.
constexpr llvm::StringLiteral kKeepOtherAttr{"tile.keep_other"};

} // namespace tilerun::tile
