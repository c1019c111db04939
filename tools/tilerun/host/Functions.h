// Shared by the families of expression functions. Internal to this folder.
#pragma once

#include "tools/tilerun/host/Operators.h"

namespace tilerun::host {

using Args = llvm::ArrayRef<Value>;
using Result = llvm::Expected<Value>;

// The rows of each family.
llvm::ArrayRef<Function> getNumberFunctions();
llvm::ArrayRef<Function> getShapeFunctions();
llvm::ArrayRef<Function> getTensorFunctions();

inline Result wrap(llvm::Expected<Array> array) {
  if (!array)
    return array.takeError();
  return Value::array(std::move(*array));
}

// A NaN on either side gives NaN.
double maximum(double a, double b);
double minimum(double a, double b);

/// A view of a tensor, or a copy of an array, with its axes in reverse.
Result reverseAxes(const Value &value);

} // namespace tilerun::host
