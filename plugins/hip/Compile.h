// The compiler's entries of the plugin for AMD GPUs.
#pragma once

#include "plugins/support/Error.h"

namespace hip {

using namespace tilerun::plugin_support;

/// Targets, phases and `compile`, which need no driver. An artifact's bytes are a code object, its
/// compatibility "hip:gfx942:cov5" (with features, if the target has them; 5 is the version).
void addCompileEntries(TilerunPlugin &table);

} // namespace hip
