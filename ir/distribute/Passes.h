// The passes of distribution. They read the target from the module's attributes and write what they
// decide as attributes; see Passes.td.
#pragma once

#include "mlir/Pass/Pass.h"

namespace tilerun {

#define GEN_PASS_DECL
#include "ir/distribute/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ir/distribute/Passes.h.inc"

} // namespace tilerun
