// How programs see a dtype as text: `str(tl.float16)`, `f"{x.dtype}"`, `x.dtype.name`. Messages of
// the compiler have the names that programs write.
#pragma once

#include "frontend/types/DType.h"

namespace tilerun {

/// "fp16", "int32", "pointer<fp16>".
std::string getTextOf(DType type);

} // namespace tilerun
