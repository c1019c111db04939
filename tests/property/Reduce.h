// Makes a failing kernel small.
#pragma once

#include "tests/property/Kernel.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>

namespace tilerun::property {

/// Smaller kernels, each made by one change, the largest changes first: without statements, with
/// loops and branches opened, with expressions replaced by a part or by a constant, with smaller
/// shapes, fewer programs and warps. All are valid, if the kernel is.
std::vector<Kernel> getSmaller(const Kernel &kernel);

/// The number of the first of some kernels that still fails in the same way.
using FindFailing = std::function<std::optional<size_t>(llvm::ArrayRef<Kernel> kernels)>;

/// Takes the first smaller kernel that still fails, until there is none, or `steps` were made.
Kernel reduce(Kernel kernel, const FindFailing &find, unsigned steps = 400);

} // namespace tilerun::property
