// The bytes of artifacts. Mostly they are a code object, or a bundle of such (CodeObject.h). For a
// kernel that prints or asserts they are "tilerunH", a version u32, the prints and assertions
// (plugins/support/DebugSites.h), and the code object.
#pragma once

#include "backends/common/DebugBuffer.h"

#include <string>
#include <string_view>
#include <vector>

namespace hip {

struct ArtifactContent {
  std::vector<tilerun::backend::DebugSite> sites; ///< By the number in records.
  std::string_view code;                          ///< In the bytes that were read.
};

/// The code alone if there are no sites.
std::string encodeArtifact(const std::vector<tilerun::backend::DebugSite> &sites,
                           std::string_view code);
/// False, with what is wrong with the bytes.
bool decodeArtifact(std::string_view bytes, ArtifactContent &content, std::string &reason);

} // namespace hip
