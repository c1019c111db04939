// Artifacts that the plugin gives away: each is destroyed by what made it.
#pragma once

#include "runtime/include/tilerun/plugin.h"

namespace cuda {

/// What release_artifact gets. Constants have no `destroy`.
struct GivenArtifact {
  TilerunPluginArtifact artifact = {}; ///< First: the ABI hands its address around.
  void (*destroy)(GivenArtifact *) = nullptr;
};

void releaseArtifact(const TilerunPluginArtifact *artifact);

} // namespace cuda
