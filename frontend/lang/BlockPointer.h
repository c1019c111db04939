// Block pointers: a tensor view of memory with shape and strides, and a window in it. They exist
// only while compiling: a load or store expands to a tensor of pointers and a mask.
#pragma once

#include "frontend/lang/Emit.h"

namespace tilerun::lang {

/// Whether a value is a block pointer: a tuple of run-time scalars with a name of its own, so that
/// loops and branches carry it like any tuple.
bool isBlockPointer(const Value &v);
/// The pointer type of what it points to.
DType getBlockPointerType(const Value &v);

/// The pointers of the window, and a mask of those inside the view along the dimensions to check.
struct BlockAccess {
  TensorValue pointer;
  std::optional<TensorValue> mask;
};
mlir::FailureOr<BlockAccess> expandBlockPointer(Emitter &e, const Arguments &args, size_t pointer,
                                                size_t boundaryCheck);

} // namespace tilerun::lang
