// Places of slots, for the handlers of schedules. Internal to this folder.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// Where slot number `slot` of a ring begins in its buffer.
mlir::FailureOr<mlir::Value> placeOf(LowerContext &c, mlir::Value ring, mlir::Value slot);

} // namespace tilerun::simt
