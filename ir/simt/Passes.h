// The passes of the per-thread level; see Passes.td.
#pragma once

#include "mlir/Pass/Pass.h"

namespace tilerun {

#define GEN_PASS_DECL
#include "ir/simt/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ir/simt/Passes.h.inc"

} // namespace tilerun
