// What is said of accesses, in sentences that text, pictures and pages share.
#pragma once

#include "tools/tilerun/host/Accesses.h"

namespace tilerun::host {

/// "read: 10 of 12 elements, 4 of them by several programs, up to 3; 40 times in all"
std::string describeUse(const TensorAccess &tensor, Use use);
/// "10 of 110 elements are never touched"; empty if all are, or where a program is looked at.
std::string describeUntouched(const Accesses &accesses, const TensorAccess &tensor);
/// What the letters of a map mean.
std::string describeLetters(const AccessMap &map, bool hasRaces);
std::string describeRace(const Race &race);
/// "k.py:5:9: load from x_ptr, tile [4]: 3 times, 2 of 12 lanes are masked off (16.7%)"
std::string describeSite(const Accesses &accesses, const AccessSite &site);
/// Width, runs, sectors, lines and vectors: a line each.
std::vector<std::string> describeFacts(const AccessSite &site);
/// "execution 0: x_ptr[4] to x_ptr[7]; 4 of 4 lanes are on"
std::string describeTile(const Accesses &accesses, const AccessTile &tile);
/// "x_ptr[3, 0]"
std::string describeLane(const Accesses &accesses, const AccessTile::Lane &lane);
inline constexpr const char *kTileLetters =
    "'#' all lanes are on, '+' some, '.' none, '!' one is outside of all tensors";
/// Of the numbers of describeFacts.
inline constexpr const char *kHowCounted = "accesses, counted on warps of 32 consecutive lanes of "
                                           "a tile, along the dimension that has the "
                                           "longest runs in memory";

/// "75%", "16.7%"
std::string formatShare(uint64_t part, uint64_t all);

} // namespace tilerun::host
