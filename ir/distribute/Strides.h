// How far apart neighbours of a tensor of addresses are, as far as its expression says.
#pragma once

#include "mlir/IR/Value.h"

#include <optional>

namespace tilerun::distribute {

/// By how much a tensor's elements grow from one to the next along `dim`: integers by themselves,
/// pointers in elements. In most places, as if remainders and quotients did not wrap around and
/// arithmetic did not overflow: for decisions about cost alone. AffineForm, which is exact, is of
/// loops, and has no quotients. Nullopt: it depends on arguments, or on data.
std::optional<int64_t> getStride(mlir::Value value, unsigned dim);

} // namespace tilerun::distribute
