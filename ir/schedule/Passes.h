// The passes of this folder.
#pragma once

#include "ir/schedule/ScheduleDialect.h"

#include "mlir/Pass/Pass.h"

namespace tilerun::schedule {

#define GEN_PASS_DECL
#include "ir/schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ir/schedule/Passes.h.inc"

} // namespace tilerun::schedule
