// A fact about pointers among a kernel's arguments: `tile.small`, an attribute without value. From
// the pointer on there are fewer than 2 GiB of memory that accesses may reach through it, and
// before it at most `kMostBytesBefore`. Separate from the dialect because the limits are those of
// launches (TILERUN_SMALL_BYTES of the plugin ABI), and few files know the fact.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tilerun::tile {

inline constexpr llvm::StringLiteral kSmallAttr{"tile.small"};

/// TILERUN_SMALL_BEFORE of the plugin ABI. So that an offset from there on has room in 32 bits, and
/// so has one that is outside of all that is reached.
inline constexpr int64_t kMostBytesBefore = 0x7ff00000;

} // namespace tilerun::tile
