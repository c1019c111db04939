// Torch's tensors and streams as launches read them: apart from other arguments, because a launch
// has no time for their attributes.
#pragma once

#include "python/native/Arguments.h"

namespace tilerun::python {

struct TorchExchange;

/// A type whose objects are torch tensors. Kept alive.
struct TorchType {
  PyTypeObject *type = nullptr;
  const TorchExchange *exchange = nullptr;
};
extern std::vector<TorchType> torchTypes;

/// Null if its objects are no tensors, or not known as such.
inline const TorchType *findTorchType(PyTypeObject *type) {
  for (const TorchType &known : torchTypes)
    if (known.type == type)
      return &known;
  return nullptr;
}

/// Reads a tensor. `Other` without an error where the package's code has to say what it is.
Read readTorch(PyObject *object, const TorchType &type, Tensor &tensor);

} // namespace tilerun::python
