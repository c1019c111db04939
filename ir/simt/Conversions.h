// Conversions of registers from one layout to another, as the layout algebra plans them: by another
// order of registers, by shuffles, or through shared memory.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

mlir::FailureOr<mlir::Value> convert(LowerContext &c, mlir::Value vector, const LinearLayout &from,
                                     const LinearLayout &to);

} // namespace tilerun::simt
